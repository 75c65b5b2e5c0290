// Draws the map of a page on its canvas from the places in its JSON block.
"use strict";

const OUTLINE = [
  [48.4, -124.7], [49, -123], [49, -95.2], [48.6, -93], [46.7, -92], [47.4, -88], [45.9, -84.8], [43.6, -86.4], [41.7, -87.2],
  [42.2, -86.4], [45, -85.5], [45.8, -84.7], [44.9, -83.3], [43, -82.4], [41.6, -83.4], [42.8, -79], [43.5, -79], [44.2, -76.3], [45, -74.7],
  [45, -71.5], [47.4, -69], [47.1, -67.8], [44.8, -67], [43.6, -70.2], [42, -70.6], [41.7, -70], [41.3, -71.9], [40.6, -74], [38.9, -74.9],
  [37, -76], [35.2, -75.5], [33.9, -78], [32, -81], [30.7, -81.4], [27, -80], [25.2, -80.4], [26, -81.8], [28, -82.8], [30, -84], [30.3, -87.5],
  [29.2, -89.4], [29.6, -93.8], [28, -97], [26, -97.2], [27.5, -99.5], [29.8, -102.5], [29, -103.2], [31.8, -106.5], [31.3, -111], [32.5, -114.8],
  [32.5, -117.1], [34, -118.5], [34.5, -120.6], [37.8, -122.5], [40.4, -124.4], [43, -124.4], [46.2, -124],
];
const TILE = 256;

// Web Mercator: position in pixels of a world that is 256 * 2^zoom wide
function project(lat, lon, zoom) {
  const size = TILE * 2 ** zoom;
  const sine = Math.sin((lat * Math.PI) / 180);
  return { x: ((lon + 180) / 360) * size, y: (0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)) * size };
}

// the same number between 0 and 1 for the same cell, every time
function noise(x, y, kind) {
  const wave = Math.sin(x * 127.1 + y * 311.7 + kind * 74.7) * 43758.5453;
  return wave - Math.floor(wave);
}

class MapPicture {
  constructor(frame) {
    this.canvas = frame.querySelector("canvas");
    this.data = JSON.parse(frame.querySelector("script").textContent);
    this.step = 0;
    frame.querySelectorAll("[data-zoom]").forEach((button) => {
      button.addEventListener("click", () => {
        this.step = Math.max(-6, Math.min(6, this.step + Number(button.dataset.zoom)));
        this.draw();
      });
    });
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }

  fit(width, height) {
    const { marks, dots } = this.data;
    const shown = marks.length ? marks : dots;
    const at = shown.map((place) => project(place.lat, place.lon, 0));
    const xs = at.map((p) => p.x), ys = at.map((p) => p.y);
    const box = { w: Math.max(...xs) - Math.min(...xs), h: Math.max(...ys) - Math.min(...ys) };
    const room = Math.min((width - 160) / (box.w || 1e-9), (height - 140) / (box.h || 1e-9));
    this.zoom = Math.max(2, Math.min(15, Math.log2(Math.max(room, 1)))) + this.step;
    const scale = 2 ** this.zoom;
    this.left = ((Math.max(...xs) + Math.min(...xs)) / 2) * scale - width / 2;
    this.top = ((Math.max(...ys) + Math.min(...ys)) / 2) * scale - height / 2;
  }

  at(place) {
    const p = project(place.lat, place.lon, this.zoom);
    return { x: p.x - this.left, y: p.y - this.top };
  }

  draw() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (!width || !height) return;
    const dense = window.devicePixelRatio || 1;
    this.canvas.width = width * dense;
    this.canvas.height = height * dense;
    const pen = this.canvas.getContext("2d");
    pen.scale(dense, dense);
    this.fit(width, height);
    if (this.zoom < 9) this.drawCountry(pen, width, height);
    else this.drawTown(pen, width, height);
    if (this.data.line) this.drawLine(pen);
    this.data.dots.forEach((place) => this.drawDot(pen, place));
    const crowded = this.data.marks.length > 40;
    this.data.marks.forEach((place) => (crowded ? this.drawDot(pen, place, true) : this.drawPin(pen, place)));
    if (!crowded) this.drawNames(pen, this.data.marks.concat(this.data.dots.slice(0, 8)), width);
    this.drawScale(pen, height);
  }

  drawCountry(pen, width, height) {
    pen.fillStyle = "#b9d8e6";
    pen.fillRect(0, 0, width, height);
    pen.beginPath();
    OUTLINE.forEach(([lat, lon]) => { const p = this.at({ lat, lon }); pen.lineTo(p.x, p.y); });
    pen.closePath();
    pen.fillStyle = "#f4f1e8";
    pen.fill();
    pen.strokeStyle = "#a9b8a6";
    pen.lineWidth = 1.5;
    pen.stroke();
  }

  // streets, parks and blocks from a grid that is fixed to the ground
  drawTown(pen, width, height) {
    pen.fillStyle = "#f2efe6";
    pen.fillRect(0, 0, width, height);
    const cell = 90 * 2 ** (this.zoom - Math.floor(this.zoom));
    const firstX = Math.floor(this.left / cell), firstY = Math.floor(this.top / cell);
    const lastX = Math.ceil((this.left + width) / cell), lastY = Math.ceil((this.top + height) / cell);
    for (let x = firstX; x < lastX; x += 1) {
      for (let y = firstY; y < lastY; y += 1) this.drawBlock(pen, x, y, cell);
    }
    for (let x = firstX; x <= lastX; x += 1) this.drawStreet(pen, x, cell, height, true);
    for (let y = firstY; y <= lastY; y += 1) this.drawStreet(pen, y, cell, width, false);
  }

  drawBlock(pen, x, y, cell) {
    const kind = noise(x, y, 1);
    const left = x * cell - this.left, top = y * cell - this.top;
    if (kind < 0.09) {
      pen.fillStyle = "#cfe6c4";
      pen.fillRect(left, top, cell * (kind < 0.04 ? 2 : 1), cell);
    } else if (kind < 0.5) {
      pen.fillStyle = "#e4ded2";
      for (let part = 0; part < 3; part += 1) {
        const size = (0.15 + noise(x, y, part + 2) * 0.15) * cell;
        pen.fillRect(left + (0.12 + part * 0.28) * cell, top + (0.15 + noise(x, y, part + 5) * 0.4) * cell, size, size);
      }
    }
  }

  drawStreet(pen, index, cell, length, upright) {
    const main = index % 4 === 0;
    const from = index * cell - (upright ? this.left : this.top);
    const lines = main ? [["#e0b25c", 11], ["#fbe6ac", 8]] : [["#d8d2c6", 6], ["#ffffff", 4]];
    lines.forEach(([color, size]) => {
      pen.fillStyle = color;
      if (upright) pen.fillRect(from - size / 2, 0, size, length);
      else pen.fillRect(0, from - size / 2, length, size);
    });
  }

  // a bent way from the first mark to the second
  drawLine(pen) {
    const [start, end] = this.data.marks.map((place) => this.at(place));
    pen.beginPath();
    pen.moveTo(start.x, start.y);
    const bends = 4;
    for (let bend = 1; bend <= bends; bend += 1) {
      const x = start.x + ((end.x - start.x) * bend) / bends;
      const y = start.y + ((end.y - start.y) * bend) / bends;
      pen.lineTo(x, start.y + ((end.y - start.y) * (bend - 1)) / bends);
      pen.lineTo(x, y);
    }
    pen.lineJoin = "round";
    [["#12448f", 9], ["#3f82e8", 6]].forEach(([color, size]) => {
      pen.strokeStyle = color;
      pen.lineWidth = size;
      pen.stroke();
    });
  }

  drawDot(pen, place, strong = false) {
    const p = this.at(place);
    pen.beginPath();
    pen.arc(p.x, p.y, strong ? 5 : 4, 0, 2 * Math.PI);
    pen.fillStyle = strong ? "#0f6b54" : "#8a6d3b";
    pen.fill();
    pen.strokeStyle = "#fff";
    pen.lineWidth = 1.5;
    pen.stroke();
  }

  drawPin(pen, place) {
    const p = this.at(place);
    pen.beginPath();
    pen.moveTo(p.x, p.y);
    pen.bezierCurveTo(p.x - 4, p.y - 10, p.x - 13, p.y - 14, p.x - 13, p.y - 24);
    pen.arc(p.x, p.y - 24, 13, Math.PI, 0);
    pen.bezierCurveTo(p.x + 13, p.y - 14, p.x + 4, p.y - 10, p.x, p.y);
    pen.fillStyle = place.sign === "★" ? "#12448f" : "#c2352b";
    pen.fill();
    pen.strokeStyle = "#fff";
    pen.lineWidth = 1.5;
    pen.stroke();
    pen.fillStyle = "#fff";
    pen.font = "bold 13px system-ui, sans-serif";
    pen.textAlign = "center";
    pen.fillText(place.sign || "●", p.x, p.y - 19);
  }

  // names beside their marks, left of them at the right edge; one that would cover another is left out
  drawNames(pen, places, width) {
    const taken = [];
    pen.font = "600 13px system-ui, sans-serif";
    pen.textAlign = "left";
    places.forEach((place) => {
      const p = this.at(place);
      const box = { x: p.x + 15, y: p.y - 30, w: pen.measureText(place.name).width, h: 18 };
      if (box.x + box.w > width - 8) box.x = p.x - 15 - box.w;
      const hit = taken.some((o) => box.x < o.x + o.w && o.x < box.x + box.w && box.y < o.y + o.h && o.y < box.y + box.h);
      if (hit) return;
      taken.push(box);
      pen.lineWidth = 4;
      pen.strokeStyle = "#fffd";
      pen.strokeText(place.name, box.x, box.y + 13);
      pen.fillStyle = "#1d2b27";
      pen.fillText(place.name, box.x, box.y + 13);
    });
  }

  drawScale(pen, height) {
    const middle = (this.data.marks[0] || this.data.dots[0]).lat;
    const metres = (40075016 * Math.cos((middle * Math.PI) / 180)) / (TILE * 2 ** this.zoom);
    const steps = [50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6];
    const length = steps.find((step) => step / metres > 60) || 2e6;
    const text = length < 1000 ? `${length} m` : `${length / 1000} km`;
    pen.fillStyle = "#fffc";
    pen.fillRect(12, height - 34, length / metres + 16, 26);
    pen.fillStyle = "#1d2b27";
    pen.fillRect(20, height - 14, length / metres, 3);
    pen.font = "12px system-ui, sans-serif";
    pen.textAlign = "left";
    pen.fillText(text, 20, height - 19);
  }
}

document.querySelectorAll("[data-map]").forEach((frame) => new MapPicture(frame));
