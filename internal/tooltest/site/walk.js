let count = 0;
function bump(step) {
  const before = count;
  count = before + step;
  document.querySelector('#out').textContent = 'count ' + count;
  return count;
}
document.querySelector('#go').addEventListener('click', () => bump(2));
setInterval(() => { count += 0; }, 30);
console.log('walk is ready');
