// Draws the charts of a queue with uPlot. Each has a table of the same figures beside it, made by the server.
const HEIGHT = 190;
const LINES = ["--series-1", "--series-2", "--series-4", "--series-3"];
const LINE_OF = { dead: ["--series-3"] };
const plots = new Map(); // by kind

// A custom property may hold any expression; as the colour of an element it is one the canvas understands.
const probe = document.createElement("span");
probe.hidden = true;
document.body.append(probe);
function colour(name) {
  probe.style.color = `var(${name})`;
  return getComputedStyle(probe).color;
}

// Steps of the axis of ages: nobody counts in 3.3 minutes.
const AGES = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400, 172800, 604800];
// Of processing times the thousandth part of a second counts.
const LATENCIES = [0.001, 0.01, 0.1].flatMap((size) => [size, 2 * size, 5 * size]).concat(AGES);
// No half messages either.
const COUNTS = [1, 10, 100, 1e3, 1e4, 1e5, 1e6].flatMap((size) => [size, 2 * size, 5 * size]);
const TIMES = ["seconds", "latency"];
const UNITS = [[86400, "d"], [3600, "h"], [60, "min"], [1, "s"]];

function inWords(seconds) {
  if (seconds > 0 && seconds < 1) return `${Number((seconds * 1000).toFixed(1))} ms`;
  const [length, unit] = UNITS.find(([size]) => seconds >= size) ?? [1, "s"];
  return `${Number((seconds / length).toFixed(1))} ${unit}`;
}
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 2 });
const write = (unit, value) => (value == null ? "–" : TIMES.includes(unit) ? inWords(value) : short.format(value));

// The whole console speaks UTC, as logs do.
const clock = (at, precision) => new Date(at * 1000).toISOString().slice(11, precision);
const day = (at, precision) => new Date(at * 1000).toISOString().slice(5, precision).replace("T", " ");
const lastsDays = (at) => at.at(-1) - at[0] > 36 * 3600;

function axes(unit, time) {
  const look = { stroke: colour("--muted"), grid: { stroke: colour("--grid"), width: 1 }, ticks: { show: false } };
  return [
    { ...look, size: 32, space: 70, values: (_, ticks) => ticks.map((tick) => time(tick, time === day ? 10 : 16)) },
    {
      ...look,
      size: 64,
      space: 32,
      values: (_, ticks) => ticks.map((tick) => write(unit, tick)),
      ...(unit === "seconds" && { incrs: AGES }),
      ...(unit === "latency" && { incrs: LATENCIES }),
      ...(unit === "count" && { incrs: COUNTS }),
    },
  ];
}

// What is small: the axis does not go up to 1 for it.
const LEAST = { rate: 0.1, latency: 0.01 };

function options(kind, chart, width, at) {
  const colours = LINE_OF[kind] ?? LINES;
  const time = lastsDays(at) ? day : clock;
  return {
    width,
    height: HEIGHT,
    padding: [8, 24, 0, 0],
    cursor: { y: false, drag: { x: false, y: false } },
    tzDate: (at) => window.uPlot.tzDate(new Date(at * 1000), "Etc/UTC"),
    scales: { y: { range: (_, low, high) => [0, Math.max(high ?? 0, LEAST[chart.unit] ?? 1) * 1.1] } },
    axes: axes(chart.unit, time),
    series: [
      { label: "UTC", value: (_, tick) => (tick == null ? "–" : time(tick, 19)) },
      ...chart.labels.map((label, place) => ({
        label,
        stroke: colour(colours[place]),
        width: 2,
        dash: place ? [6, 3 * place] : undefined, // told apart without colours too
        spanGaps: chart.unit === "latency", // a quiet bucket has none, and its neighbours would not be seen
        points: { show: false },
        value: (_, value) => write(chart.unit, value),
      })),
    ],
  };
}

function draw(place, kind, answer) {
  const chart = answer.charts[kind];
  const data = [answer.at, ...chart.series];
  const drawn = plots.get(kind);
  if (drawn) {
    place.append(drawn.root);
    drawn.setData(data);
    return;
  }
  plots.set(kind, new window.uPlot(options(kind, chart, place.clientWidth, answer.at), data, place));
}

let latest = null;
const places = () => document.querySelectorAll("[data-chart]");

function drawAll() {
  for (const place of places()) draw(place, place.dataset.chart, latest);
}

function redraw() {
  for (const plot of plots.values()) plot.destroy();
  plots.clear();
  if (latest) drawAll();
}

async function load() {
  const [first] = places();
  if (!first) return;
  for (const place of places()) if (plots.has(place.dataset.chart)) place.append(plots.get(place.dataset.chart).root);
  try {
    // Nobody asked for it: it must not count as activity and keep a session alive.
    const response = await fetch(first.dataset.source, { headers: { "X-SimpleMQ-Refresh": "1" } });
    if (!response.ok) return;
    latest = await response.json();
    drawAll();
  } catch {
    // The network is away: the tables beside still hold what was true when the page was loaded.
  }
}

document.addEventListener("refreshed", load);
document.addEventListener("themechange", redraw);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
let width = innerWidth;
addEventListener("resize", () => {
  if (innerWidth === width) return; // the address bar of a phone came or went
  width = innerWidth;
  for (const place of places()) {
    plots.get(place.dataset.chart)?.setSize({ width: place.clientWidth, height: HEIGHT });
  }
});
load();
