// Reads lines of JSON, {kind, text}, and answers each with what an independent renderer makes of the text: the targets of its
// links and pictures, and its anchors with their lines (from 1; 0 where the renderer does not say).
import readline from 'node:readline';
import MarkdownIt from 'markdown-it';
import attributes from 'markdown-it-attrs';
import footnotes from 'markdown-it-footnote';
import GithubSlugger from 'github-slugger';
import {parse} from 'parse5';
import * as asciidoctor from '@asciidoctor/core';
import {fromMarkdown} from 'mdast-util-from-markdown';
import {syntax} from 'micromark-extension-wiki-link';
import * as wikiLink from 'mdast-util-wiki-link';

const markdown = new MarkdownIt({html: true}).use(attributes).use(footnotes);
markdown.validateLink = () => true;
markdown.normalizeLink = (to) => to;
markdown.core.ruler.push('lines', (state) => {
  for (const t of state.tokens) if (t.type === 'heading_open') t.attrSet('data-line', String(t.map[0] + 1));
});

// page walks a page of HTML as a browser has it.
function page(html) {
  const links = [], anchors = [], slugger = new GithubSlugger();
  const textOf = (n) => n.nodeName === '#text' ? n.value : (n.childNodes || []).map(textOf).join('');
  const walk = (n) => {
    const at = Object.fromEntries((n.attrs || []).map((a) => [a.name, a.value]));
    if (n.tagName === 'a' && at.href) links.push(at.href);
    if (n.tagName === 'img' && at.src) links.push(at.src);
    const line = Number(at['data-line'] || 0);
    if (at.id) anchors.push({id: at.id, line});
    if (n.tagName === 'a' && at.name && at.name !== at.id) anchors.push({id: at.name, line});
    if (/^h[1-6]$/.test(n.tagName) && !at.id) {
      const id = slugger.slug(textOf(n).trim());
      if (id) anchors.push({id, line});
    }
    (n.childNodes || []).forEach(walk);
  };
  walk(parse(html));
  return {links, anchors};
}

function wiki(text) {
  const links = [];
  const walk = (n) => {
    if (n.type === 'wikiLink') links.push(n.value);
    (n.children || []).forEach(walk);
  };
  walk(fromMarkdown(text.replaceAll('![[', ' [['), {extensions: [syntax({aliasDivider: '|'})], mdastExtensions: [wikiLink.fromMarkdown()]}));
  return {links, anchors: []};
}

const lib = asciidoctor.default ? asciidoctor.default() : asciidoctor;

// adoc has the links of every output: those of the page as it is, and those with each attribute set that a condition asks for.
async function adoc(text) {
  const found = await output(text, []);
  const asked = new Set([...text.matchAll(/^ifn?def::([^[\s]+)\[/gm)].flatMap((m) => m[1].split(/[,+]/)));
  for (const name of asked) found.links.push(...(await output(text, [name])).links);
  return found;
}

async function output(text, set) {
  const given = Object.fromEntries(set.map((name) => [name, '']));
  const doc = await lib.load(text, {safe: 'secure', sourcemap: true, attributes: {...given, relfilesuffix: '.adoc', outfilesuffix: '.adoc'}});
  const found = page(await doc.convert());
  const lines = new Map();
  const sections = (b) => {
    for (const s of (b.getSections ? b.getSections() : [])) {
      lines.set(s.getId(), s.getSourceLocation ? (s.getLineNumber?.() || s.getSourceLocation()?.getLineNumber?.() || 0) : 0);
      sections(s);
    }
  };
  sections(doc);
  found.anchors = [...lines].filter(([id]) => id).map(([id, line]) => ({id, line}));
  return found;
}

// commonmark's links are also those of definitions that no text of the page uses.
function commonmark(text) {
  const env = {};
  const found = page(markdown.render(text, env));
  found.links = found.links.filter((to) => !/^#fn(ref)?\d/.test(to)).concat(Object.values(env.references || {}).map((r) => r.href));
  found.anchors = found.anchors.filter((a) => !/^fn(ref)?\d/.test(a.id));
  return found;
}

const kinds = {markdown: commonmark, wiki, adoc};
for await (const line of readline.createInterface({input: process.stdin})) {
  const {kind, text} = JSON.parse(line);
  try {
    console.log(JSON.stringify(await kinds[kind](text)));
  } catch (e) {
    console.log(JSON.stringify({failed: String(e)}));
  }
}
