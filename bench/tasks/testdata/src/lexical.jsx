import { useState } from 'react'
import { createRoot } from 'react-dom/client'
import { FORMAT_TEXT_COMMAND, $getRoot, $createParagraphNode, $createTextNode } from 'lexical'
import { LinkNode, TOGGLE_LINK_COMMAND } from '@lexical/link'
import { LexicalComposer } from '@lexical/react/LexicalComposer'
import { RichTextPlugin } from '@lexical/react/LexicalRichTextPlugin'
import { ContentEditable } from '@lexical/react/LexicalContentEditable'
import { LexicalErrorBoundary } from '@lexical/react/LexicalErrorBoundary'
import { LinkPlugin } from '@lexical/react/LexicalLinkPlugin'
import { useLexicalComposerContext } from '@lexical/react/LexicalComposerContext'

function Toolbar() {
  const [editor] = useLexicalComposerContext()
  const [address, setAddress] = useState(null)
  return <div role="toolbar" aria-label="Format">
    <button onClick={() => editor.dispatchCommand(FORMAT_TEXT_COMMAND, 'bold')}>Bold</button>
    <button onMouseDown={(e) => e.preventDefault()} onClick={() => setAddress('')}>Link</button>
    {address !== null && <form style={{ display: 'inline' }} onSubmit={(e) => {
      e.preventDefault()
      editor.dispatchCommand(TOGGLE_LINK_COMMAND, address)
      setAddress(null)
    }}><input aria-label="Address" value={address} onChange={(e) => setAddress(e.target.value)} /><button>Apply</button></form>}
  </div>
}
createRoot(app).render(<LexicalComposer initialConfig={{
  namespace: 'notes', nodes: [LinkNode], onError: (e) => { throw e }, theme: { text: { bold: 'b' } },
  editorState: () => $getRoot().append($createParagraphNode().append($createTextNode('Meet Anna at the station at noon'))),
}}>
  <Toolbar />
  <RichTextPlugin contentEditable={<ContentEditable aria-label="Note" style={{ border: '1px solid', padding: 8, minHeight: 120 }} />} ErrorBoundary={LexicalErrorBoundary} />
  <LinkPlugin />
</LexicalComposer>)
