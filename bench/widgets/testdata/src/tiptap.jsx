import {Editor} from "@tiptap/core"; import StarterKit from "@tiptap/starter-kit";
const e=new Editor({element:document.getElementById("root"),extensions:[StarterKit],content:"<p>Draft</p>"});
for (const [id,f] of [["bold",()=>e.chain().focus().toggleBold().run()],["list",()=>e.chain().focus().toggleBulletList().run()]]) document.getElementById(id).onclick=f;
window.state=()=>({text:e.getText(),html:e.getHTML()});
