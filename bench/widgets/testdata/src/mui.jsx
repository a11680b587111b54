import React, {useState} from "react"; import {createRoot} from "react-dom/client";
import {Select,MenuItem,InputLabel,FormControl,Autocomplete,TextField,Slider,Rating,Switch,FormControlLabel,Tabs,Tab,Button,Dialog,DialogTitle,DialogActions,Checkbox} from "@mui/material";
const S={}; window.state=()=>S;
function App(){const [age,setAge]=useState(""),[open,setOpen]=useState(false),[tab,setTab]=useState(0);
 return <div style={{maxWidth:480,display:"grid",gap:16}}>
 <FormControl><InputLabel id="al">Age group</InputLabel><Select labelId="al" label="Age group" value={age} onChange={e=>{setAge(e.target.value);S.age=e.target.value}}><MenuItem value="child">Child</MenuItem><MenuItem value="adult">Adult</MenuItem></Select></FormControl>
 <Autocomplete options={["Jaws","Alien","Heat"]} onChange={(e,v)=>S.movie=v} renderInput={p=><TextField {...p} label="Movie"/>}/>
 <Autocomplete multiple options={["Drama","Crime","Noir"]} onChange={(e,v)=>S.genres=v.join()} renderInput={p=><TextField {...p} label="Genres"/>}/>
 <Slider aria-label="Temperature" defaultValue={30} onChange={(e,v)=>S.temp=v}/>
 <Rating name="stars" onChange={(e,v)=>S.stars=v}/>
 <FormControlLabel control={<Switch onChange={e=>S.lamp=e.target.checked}/>} label="Lamp"/>
 <FormControlLabel control={<Checkbox onChange={e=>S.gift=e.target.checked}/>} label="Gift wrap"/>
 <Tabs value={tab} onChange={(e,v)=>{setTab(v);S.tab=v}}><Tab label="One"/><Tab label="Two"/></Tabs>
 <Button variant="contained" onClick={()=>setOpen(true)}>Open dialog</Button>
 <Dialog open={open} onClose={()=>setOpen(false)}><DialogTitle>Use location?</DialogTitle><DialogActions><Button onClick={()=>setOpen(false)}>Disagree</Button><Button onClick={()=>{S.agreed=true;setOpen(false)}}>Agree</Button></DialogActions></Dialog>
 </div>}
createRoot(document.getElementById("root")).render(<App/>);
