import React, {useState} from "react"; import {createRoot} from "react-dom/client";
import {Select,MenuItem,InputLabel,FormControl,Autocomplete,TextField,Slider,Rating,Switch,FormControlLabel,Tabs,Tab,Button,Dialog,DialogTitle,DialogActions,Checkbox,Grid,Card,CardHeader,List,ListItemButton,ListItemIcon,ListItemText} from "@mui/material";
const S={}; window.state=()=>S;
function Lists(){const [checked,setChecked]=useState([]),[left,setLeft]=useState(["Read","Write","Admin"]),[right,setRight]=useState([]);
 S.rights=right.join();
 const toggle=v=>()=>setChecked(checked.includes(v)?checked.filter(c=>c!==v):[...checked,v]);
 const move=(items,to)=>()=>{setLeft(to?left.filter(v=>!items.includes(v)):[...left,...items]);setRight(to?[...right,...items]:right.filter(v=>!items.includes(v)));setChecked(checked.filter(v=>!items.includes(v)))};
 const inLeft=checked.filter(v=>left.includes(v)),inRight=checked.filter(v=>right.includes(v));
 const list=(title,items)=><Card variant="outlined"><CardHeader title={title} subheader={items.filter(v=>checked.includes(v)).length+"/"+items.length+" selected"}/><List dense component="div" role="list" sx={{width:200,height:130,overflow:"auto"}}>{items.map(v=><ListItemButton key={v} role="listitem" onClick={toggle(v)}><ListItemIcon><Checkbox checked={checked.includes(v)} tabIndex={-1} disableRipple/></ListItemIcon><ListItemText primary={v}/></ListItemButton>)}</List></Card>;
 return <Grid container spacing={2} sx={{alignItems:"center"}}><Grid>{list("Choices",left)}</Grid>
 <Grid><Grid container direction="column"><Button size="small" onClick={move(inLeft,true)} disabled={!inLeft.length} aria-label="move selected right">&gt;</Button><Button size="small" onClick={move(inRight,false)} disabled={!inRight.length} aria-label="move selected left">&lt;</Button></Grid></Grid>
 <Grid>{list("Chosen",right)}</Grid></Grid>}
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
 <Lists/>
 </div>}
createRoot(document.getElementById("root")).render(<App/>);
