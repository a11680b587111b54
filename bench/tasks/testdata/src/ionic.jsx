import { initialize } from '@ionic/core/components'
import { defineCustomElement as appElement } from '@ionic/core/components/ion-app.js'
import { defineCustomElement as content } from '@ionic/core/components/ion-content.js'
import { defineCustomElement as list } from '@ionic/core/components/ion-list.js'
import { defineCustomElement as sliding } from '@ionic/core/components/ion-item-sliding.js'
import { defineCustomElement as item } from '@ionic/core/components/ion-item.js'
import { defineCustomElement as options } from '@ionic/core/components/ion-item-options.js'
import { defineCustomElement as option } from '@ionic/core/components/ion-item-option.js'
import { defineCustomElement as label } from '@ionic/core/components/ion-label.js'
import { defineCustomElement as range } from '@ionic/core/components/ion-range.js'
import { defineCustomElement as toggle } from '@ionic/core/components/ion-toggle.js'
import { defineCustomElement as reorder } from '@ionic/core/components/ion-reorder.js'
import { defineCustomElement as reorderGroup } from '@ionic/core/components/ion-reorder-group.js'
import '@ionic/core/css/core.css'

initialize({ mode: 'ios' })
for (const define of [appElement, content, list, sliding, item, options, option, label, range, toggle, reorder, reorderGroup]) define()
app.innerHTML = `<ion-app><ion-content><ion-list>${['Milk', 'Bread', 'Salt'].map((name) => `<ion-item-sliding id=${name}><ion-item><ion-label>${name}</ion-label></ion-item>
<ion-item-options side=end><ion-item-option color=danger onclick="document.querySelector('#${name}').remove()">Delete</ion-item-option></ion-item-options></ion-item-sliding>`).join('')}</ion-list>
<ion-item><ion-range label="Brightness" id=light value=20></ion-range></ion-item><ion-item><ion-toggle id=night>Night mode</ion-toggle></ion-item></ion-content></ion-app>`
window.left = () => [...document.querySelectorAll('ion-item-sliding')].map((e) => e.id).join()
