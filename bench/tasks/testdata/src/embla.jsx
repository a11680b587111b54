import EmblaCarousel from 'embla-carousel'
import Autoplay from 'embla-carousel-autoplay'

app.innerHTML = `<style>.view{overflow:hidden;width:500px}.rail{display:flex}.slide{flex:0 0 100%;height:160px;background:#e8e8f4}</style>
<div class=view role=region aria-label=Trips><div class=rail>${['Oslo', 'Rome', 'Lisbon', 'Paris', 'Vienna'].map((c) => `<div class=slide aria-hidden=true><h3>${c}</h3><button onclick="said.textContent = 'booked ${c}'">Book</button></div>`).join('')}</div></div><output id=said></output>`
const view = app.querySelector('.view')
const embla = EmblaCarousel(view, { loop: true, duration: 12 }, [Autoplay({ delay: 1000, stopOnInteraction: false })])
const show = () => embla.slideNodes().forEach((s, i) => { s.ariaHidden = String(i !== embla.selectedScrollSnap()); s.inert = i !== embla.selectedScrollSnap() })
embla.on('select', show)
show()
