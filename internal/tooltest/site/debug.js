function price(count) {
  const each = 4;
  return count * each;
}

document.getElementById('buy').addEventListener('click', function onBuy() {
  document.title = 'Sold ' + price(3);
});
