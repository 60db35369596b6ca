"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const dark = matchMedia("(prefers-color-scheme: dark)").matches;
Chart.defaults.color = dark ? "#99a" : "#667";
Chart.defaults.borderColor = dark ? "#2b313c" : "#e4e7ec";
Chart.defaults.animation = false;
Chart.defaults.maintainAspectRatio = false;

const palette = dark
  ? ["#4fb3a5", "#e0a458", "#9a8ce0", "#d87a9a", "#7fb3ea", "#a8c256", "#c79a7a", "#b0b6c2"]
  : ["#0f7f72", "#b86b12", "#5b49b8", "#a83a63", "#2068b0", "#5f7a12", "#7d5236", "#596171"];

const number = value => value === null || value === undefined ? "" : Number(value).toLocaleString("en", { maximumSignificantDigits: 4 });
// a ratio that nobody can read is told by what it is of
const ratioText = (ratio, other, unit) => ratio === null || ratio === undefined || Number.isNaN(ratio) ? ""
  : ratio < 0.001 && other > 0 ? "none against " + number(other) + unit : number(ratio);
const count = value => Number(value).toLocaleString("en");

// a time in the unit that a person would say it in
const time = micros => micros === null || micros === undefined || Number.isNaN(micros) ? ""
  : micros < 1000 ? number(micros) + " µs" : micros < 1e6 ? number(micros / 1000) + " ms" : number(micros / 1e6) + " s";

// whether more of a metric is better (1) or worse (-1); 0 where neither can be said
const sense = metric => /_per_s$|^records\/s$/.test(metric) ? 1 : /^records_per_poll|variation/.test(metric) ? 0 : -1;

// a ratio with its direction: differences below a twentieth are none
function judged(ratio, metric, other, unit) {
  const text = ratioText(ratio, other, unit), way = sense(metric);
  if (text === "" || !way || text.startsWith("none")) return text.startsWith("none") ? { text, mark: "better" } : text;
  const gain = way > 0 ? ratio : 1 / ratio;
  return gain > 1.05 ? { text: text + "× better", mark: "better" } : gain < 1 / 1.05 ? { text: text + "× worse", mark: "worse" } : text + "×";
}

// the result in sentences, in front of everything else
function summary(sentences) {
  const list = document.getElementById("summary");
  sentences.filter(sentence => sentence).forEach(sentence => {
    const item = document.createElement("li");
    item.textContent = sentence;
    list.append(item);
  });
}
const bars = verdicts => !verdicts.length ? "" : verdicts.every(verdict => verdict === "met") ? `All ${verdicts.length} bars are met.`
  : `${verdicts.filter(verdict => verdict === "met").length} of ${verdicts.length} bars are met`
    + (verdicts.includes("not met") ? `, ${verdicts.filter(verdict => verdict === "not met").length} not met.` : "; the others are inconclusive, or below bare.");

function fill(id, heads, lines) {
  const add = (row, tag, content, missed) => {
    const cell = document.createElement(tag), text = String(content.text ?? content);
    // a long name may end a line behind its underscores, and nowhere else
    if (tag === "th") cell.textContent = text;
    else text.split(/(?<=_)/).forEach((part, at) => { if (at) cell.append(document.createElement("wbr")); cell.append(part); });
    if (missed) cell.className = "missed"; else if (content.mark) cell.className = content.mark;
    row.append(cell);
  };
  const table = typeof id === "string" ? document.getElementById(id) : id;
  const head = table.createTHead().insertRow();
  heads.forEach(text => add(head, "th", text));
  const body = table.createTBody();
  lines.forEach(line => {
    const row = body.insertRow();
    line.forEach(text => add(row, "td", text, text === "not met" && !line.informational));
  });
}

function plot(parent, title, config, height) {
  const box = document.createElement("div");
  box.className = "plot";
  if (height) box.style.height = height;
  const canvas = document.createElement("canvas");
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", title);
  box.append(canvas);
  document.getElementById(parent).append(box);
  config.options = Object.assign({ plugins: {} }, config.options);
  config.options.plugins = Object.assign({ title: { display: true, text: title } }, config.options.plugins);
  new Chart(canvas, config);
}

// the load of the machine matters as much as the machine: others' work on its processors is in each figure
function machine(of, parts) {
  const load = of.load_average_1min;
  return [...parts, `${of.cpus} CPUs (${of.cpu_model})`, `Java ${of.java_version}`,
    load === undefined || load < 0 ? "" : `load ${number(load)}` + (load > of.cpus ? ", more than its CPUs" : "")].filter(part => part).join(" · ");
}
function where(parts) {
  document.getElementById("where").textContent = machine(data.environment, [data.finished, ...parts]);
}

function environment(more) {
  document.getElementById("interrupted").textContent = data.interrupted ? "This run was " + data.interrupted + "." : "";
  document.getElementById("environment").textContent = JSON.stringify(Object.assign(
    { command: data.command, settings: data.settings, environment: data.environment }, more), null, 2);
}

const unique = values => [...new Set(values)];
const once = { labels: { filter: (item, chart) =>
  chart.datasets.findIndex(set => set.label === item.text) === item.datasetIndex } };

// a drawing that the command has described
function plotChart(parent, chart) {
  plot(parent, chart.title, { type: chart.kind, data: { labels: chart.steps, datasets: chart.series.map((line, at) => ({
    label: line.label, data: line.values, borderColor: palette[at % palette.length],
    backgroundColor: palette[at % palette.length], borderWidth: 1.5 })) },
    options: { scales: { y: Object.assign({ title: { display: true, text: chart.unit } },
      chart.logarithmic ? { type: "logarithmic" } : { beginAtZero: true }) } } });
}

const legible = 4;

// one line per sample: records per second over time, in a drawing for each client where there are many, and latency by
// percentile
function plotSamples(title, samples, timeParent, latencyParent, colourOf, latencyNote = "") {
  const line = (sample, values) => ({ label: sample.client, data: values, borderColor: colourOf(sample.client),
    pointRadius: 0, borderWidth: 1.5 });
  const steps = Math.max(...samples.map(sample => sample.records_per_s_each_100_ms.length));
  const most = Math.max(0, ...samples.flatMap(sample => sample.records_per_s_each_100_ms)); // one scale for all drawings
  const clients = unique(samples.map(sample => sample.client));
  const groups = clients.length > legible ? clients.map(client => samples.filter(sample => sample.client === client)) : [samples];
  groups.forEach(group => plot(timeParent, title + ": throughput over time" + (groups.length > 1 ? ", " + group[0].client : ""), { type: "line",
    data: { labels: Array.from({ length: steps }, (_, i) => ((i + 1) / 10).toFixed(1)),
      datasets: group.map(sample => line(sample, sample.records_per_s_each_100_ms)) },
    options: { plugins: { legend: once }, scales: {
      y: { beginAtZero: true, suggestedMax: most, title: { display: true, text: "records/s" } },
      x: { title: { display: true, text: "seconds" } } } } }));
  const percentiles = samples[0].latency_percentiles;
  plot(latencyParent, title + ": latency by percentile" + latencyNote, { type: "line", data: { labels: percentiles.map(p => p === 100 ? "max" : p + " %"),
    datasets: samples.map(sample => line(sample, sample.latency_us)) },
    options: { plugins: { legend: once }, scales: { y: { type: "logarithmic", title: { display: true, text: "µs" } } } } });
}
