// Drops files on an element; true where the page takes them.
(element, files) => {
  const transfer = new DataTransfer();
  for (const { name, type, data } of files)
    transfer.items.add(new File([Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0))], name, { type }));
  const r = element.getBoundingClientRect();
  const fire = (type) => element.dispatchEvent(new DragEvent(type, {
    dataTransfer: transfer, bubbles: true, cancelable: true, composed: true,
    clientX: r.left + r.width / 2, clientY: r.top + r.height / 2,
  }));
  fire("dragenter");
  const taken = !fire("dragover");
  if (taken) fire("drop");
  else fire("dragleave");
  return taken;
}
