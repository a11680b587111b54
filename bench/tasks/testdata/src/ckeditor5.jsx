import { ClassicEditor, Essentials, Paragraph, Bold, Italic, Heading, Link, List } from 'ckeditor5'
import 'ckeditor5/ckeditor5.css'

app.innerHTML = '<div id=text><p>The quick brown fox</p><p>What is left to do</p><p>Pack the bags</p></div>'
ClassicEditor.create(document.querySelector('#text'), {
  licenseKey: 'GPL', plugins: [Essentials, Paragraph, Bold, Italic, Heading, Link, List],
  toolbar: ['heading', 'bold', 'italic', 'link', 'bulletedList'],
}).then((editor) => { window.data = () => editor.getData() })
