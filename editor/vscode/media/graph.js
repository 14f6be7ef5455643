// Moves in a picture that the server drew: pans, zooms, finds, goes from node to node by keyboard, and shows what one is
// joined to. What is chosen is told to the extension by its number; the extension knows the file.
"use strict";
{
  // @ts-expect-error the editor gives it to pages of extensions
  const editor = acquireVsCodeApi();
  const svg = /** @type {SVGSVGElement} */ (document.querySelector("svg.brv"));
  const nodes = /** @type {SVGAElement[]} */ ([...svg.querySelectorAll(".nodes > a")].sort((a, b) => number(a) - number(b)));
  const main = /** @type {HTMLElement} */ (svg.parentElement);
  const says = /** @type {HTMLElement} */ (document.getElementById("says"));
  const lit = svg.appendChild(element("g", { class: "lit" }));
  /** @type {{to: number[], from: number[]}[]} */
  const joined = nodes.map(() => ({ to: [], from: [] }));
  const ends = (document.body.dataset.links || "").split(",").map(Number);
  for (let i = 0; i + 1 < ends.length; i += 2) {
    joined[ends[i]].to.push(ends[i + 1]);
    joined[ends[i + 1]].from.push(ends[i]);
  }
  const { x, y, width, height } = svg.viewBox.baseVal;
  let view = { x, y, width, height };
  let painted = view;
  let current = 0;
  /** From where somebody came to the current one. */
  let before = -1;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let resting;
  let drawing = 0;
  /** @type {{x: number, y: number, view: typeof view, moved: boolean} | undefined} */
  let drag;

  /** @param {Element | null} node */
  function number(node) {
    return Number(node?.id.slice(1));
  }

  /** @param {string} name @param {Record<string, string | number>} attributes */
  function element(name, attributes) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
    return made;
  }

  /** @param {number} i */
  function boxOf(i) {
    const { x, y, width, height } = /** @type {SVGGraphicsElement} */ (nodes[i].querySelector(".n")).getBBox();
    return { x: x + width / 2, y: y + height / 2, r: Math.max(width, height) / 2 };
  }

  /** Shows the view. Until it rests, what is painted is moved and scaled as it is, which costs the page nothing. */
  function draw() {
    drawing ||= requestAnimationFrame(() => {
      drawing = 0;
      const [was, is] = [scale(painted), scale(view)];
      svg.style.transform = `translate(${(was.x - is.x) / is.unit}px, ${(was.y - is.y) / is.unit}px) scale(${was.unit / is.unit})`;
      clearTimeout(resting);
      resting = setTimeout(paint, 150);
    });
  }

  function paint() {
    painted = view;
    svg.style.transform = "";
    svg.setAttribute("viewBox", `${view.x} ${view.y} ${view.width} ${view.height}`);
    const zoom = width / view.width;
    svg.dataset.zoom = String(zoom >= 3.5 ? 3 : zoom >= 1.7 ? 2 : 1);
  }

  /** How many units of the picture a pixel is, and which point of it stands at the top left. */
  /** @param {typeof view} of */
  function scale(of) {
    const { clientWidth: w, clientHeight: h } = main;
    const unit = Math.max(of.width / w, of.height / h);
    return { unit, x: of.x - (unit * w - of.width) / 2, y: of.y - (unit * h - of.height) / 2 };
  }

  /** @param {number} by @param {number} atX @param {number} atY */
  function zoom(by, atX = view.x + view.width / 2, atY = view.y + view.height / 2) {
    const factor = Math.min(Math.max(view.width / by, width / 40), width * 2) / view.width;
    view = { x: atX - (atX - view.x) * factor, y: atY - (atY - view.y) * factor, width: view.width * factor, height: view.height * factor };
    draw();
  }

  /** Shows what a node leads to, and broken what leads to it. */
  /** @param {number} i */
  function show(i) {
    const from = boxOf(i);
    const drawn = [];
    for (const [way, others] of Object.entries(joined[i])) {
      for (const other of others) {
        const to = boxOf(other);
        drawn.push(element("line", { class: way === "from" ? "to" : "", x1: from.x, y1: from.y, x2: to.x, y2: to.y }));
        drawn.push(element("circle", { cx: to.x, cy: to.y, r: Math.min(to.r, 14) + 2 }));
      }
    }
    lit.replaceChildren(...drawn);
    const [title, ...more] = (nodes[i].querySelector("title")?.textContent || "").split("\n");
    const { to } = joined[i];
    says.textContent = [title, ...more, `links to ${to.length} (solid lines); dashed lines lead here`].join(" · ").replace(".brv/context-tree/", "");
  }

  /** Chooses a node: what is not joined to it steps back. */
  /** @param {number} i */
  function choose(i) {
    if (i !== current) [before, current] = [current, i];
    show(i);
    const near = new Set([i, ...joined[i].to, ...joined[i].from]);
    nodes.forEach((node, other) => node.classList.toggle("far", !near.has(other)));
    svg.classList.add("chosen");
  }

  function release() {
    lit.replaceChildren();
    for (const node of nodes) node.classList.remove("far");
    svg.classList.remove("chosen");
  }

  /** @param {number} i */
  function focus(i) {
    nodes[current]?.setAttribute("tabindex", "-1");
    nodes[i].setAttribute("tabindex", "0");
    choose(i);
    nodes[i].focus({ preventScroll: true });
    const at = boxOf(i);
    if (at.x < view.x || at.y < view.y || at.x > view.x + view.width || at.y > view.y + view.height) {
      view = { ...view, x: at.x - view.width / 2, y: at.y - view.height / 2 };
      draw();
    }
  }

  /** The next node in a direction: near, and rather straight ahead than aside. */
  /** @param {number} dx @param {number} dy */
  function step(dx, dy) {
    const from = boxOf(current);
    let best = -1;
    let least = Infinity;
    for (let i = 0; i < nodes.length; i++) {
      if (i === current || nodes[i].style.display === "none") continue;
      const to = boxOf(i);
      const ahead = (to.x - from.x) * dx + (to.y - from.y) * dy;
      const aside = Math.abs((to.x - from.x) * dy) + Math.abs((to.y - from.y) * dx);
      if (ahead > 0.1 && ahead + 2 * aside < least) [best, least] = [i, ahead + 2 * aside];
    }
    if (best >= 0) focus(best);
  }

  /** @type {Record<string, () => void>} */
  const keys = {
    ArrowLeft: () => step(-1, 0), ArrowRight: () => step(1, 0), ArrowUp: () => step(0, -1), ArrowDown: () => step(0, 1),
    Enter: open, " ": open,
    "+": () => zoom(1.5), "=": () => zoom(1.5), "-": () => zoom(1 / 1.5), 0: fit, Escape: release,
  };

  function open() {
    editor.postMessage({ open: current, after: before });
  }

  function fit() {
    view = { x, y, width, height };
    draw();
  }

  nodes.forEach((node, i) => node.setAttribute("tabindex", i === 0 ? "0" : "-1"));
  addEventListener("keydown", (event) => {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || !(key in keys) || /** @type {Element} */ (target).closest("header")) return;
    event.preventDefault();
    if (nodes.length === 0) return;
    if (/^(Arrow|Enter| )/.test(key) && document.activeElement !== nodes[current]) focus(current); // first it is seen which one is meant
    else keys[key]();
  });
  svg.addEventListener("focusin", (event) => {
    const i = nodes.indexOf(/** @type {SVGAElement} */ (event.target));
    if (i >= 0) choose(i);
  });
  svg.addEventListener("pointerover", (event) => {
    const i = nodes.indexOf(/** @type {SVGAElement} */ (/** @type {Element} */ (event.target).closest(".nodes > a")));
    if (i >= 0 && !drag) show(i);
  });
  svg.addEventListener("wheel", (event) => {
    event.preventDefault();
    const { unit, x, y } = scale(view);
    const { left, top } = main.getBoundingClientRect();
    zoom(1.0015 ** -event.deltaY, x + (event.clientX - left) * unit, y + (event.clientY - top) * unit);
  }, { passive: false });
  svg.addEventListener("pointerdown", (event) => {
    if (event.button === 0) drag = { x: event.clientX, y: event.clientY, view, moved: false };
  });
  addEventListener("pointermove", (event) => {
    if (!drag || (!drag.moved && Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < 4)) return;
    drag.moved = true;
    const { unit } = scale(view);
    view = { ...drag.view, x: drag.view.x - (event.clientX - drag.x) * unit, y: drag.view.y - (event.clientY - drag.y) * unit };
    draw();
  });
  let dragged = false;
  addEventListener("pointerup", () => {
    dragged = drag?.moved === true;
    drag = undefined;
  });
  svg.addEventListener("dragstart", (event) => event.preventDefault());
  svg.addEventListener("click", (event) => {
    event.preventDefault();
    event.stopPropagation(); // the editor would follow the link
    const i = nodes.indexOf(/** @type {SVGAElement} */ (/** @type {Element} */ (event.target).closest(".nodes > a")));
    if (i < 0 || dragged) return;
    focus(i);
    open();
  }, true);

  const find = /** @type {HTMLInputElement} */ (document.getElementById("find"));
  const texts = nodes.map((node) => (node.querySelector("title")?.textContent || "").toLowerCase());
  const fits = () => {
    const words = find.value.toLowerCase().split(/\s+/);
    return nodes.map((_, i) => words.every((word) => texts[i].includes(word)));
  };
  find.addEventListener("input", () => {
    const found = fits();
    nodes.forEach((node, i) => node.classList.toggle("out", !found[i]));
    says.textContent = `${found.filter(Boolean).length} of ${nodes.length}`;
  });
  find.addEventListener("keydown", ({ key }) => {
    const first = fits().indexOf(true);
    if (key === "Enter" && first >= 0) focus(first);
  });
  for (const box of /** @type {NodeListOf<HTMLInputElement>} */ (document.querySelectorAll("[data-kind]"))) {
    box.addEventListener("change", () => {
      for (const node of nodes) if (node.querySelector(`.${box.dataset.kind}`)) node.style.display = box.checked ? "" : "none";
      lit.replaceChildren();
    });
  }
  for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("button"))) {
    button.addEventListener("click", () => (button.dataset.zoom === "0" ? fit() : zoom(Number(button.dataset.zoom))));
  }
}
