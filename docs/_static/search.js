/* Ranks what the search finds: pages by how many words of the query they have, rare words first, a
 * heading or an index entry before text, and guides before tables of measurements. Sphinx itself
 * shows only pages that have every word, in the order of their titles.
 *
 * It replaces one function of Sphinx's searchtools.js; where that is missing, Sphinx's own stays. */
"use strict";

const IN_HEADING = 2.5;
const IN_TITLE = 2.0;
const IN_TEXT = 1.0;
const PART_OF_WORD = 0.5; // weight of a word that only begins like the one in the query
const LEAST_SHARE = 0.35; // of the best score, for a page to be shown
const MOST_PAGES = 20;
const LATER_PAGES = [
  [/^(models|proof|robots|performance|field|fuzzing|validation|convergence|contact)$/, 0.6],
  [/^(diagnostics|pybullet_queries|mjcf_robots|accelerators|gallery)$/, 0.85],
  [/^(contributing|changelog|stability|mechanism)$/, 0.5],
  [/^reference\//, 0.75],
  [/^(index|questions|glossary)$/, 0.6], // these lead to other pages
];

const weightOf = (page) => (LATER_PAGES.find(([names]) => names.test(page)) || [0, 1.0])[1];

const wordsOf = (text) => {
  const stemmer = new Stemmer();
  return splitQuery(text.toLowerCase())
    .filter((word) => !stopwords.has(word))
    .map((word) => stemmer.stemWord(word));
};

/* How far a set of words has one of the query: 1, PART_OF_WORD or 0. */
const match = (word, words) => {
  if (words.has(word)) return 1.0;
  const begins = word.length > 3 && [...words].some((other) => other.startsWith(word));
  return begins ? PART_OF_WORD : 0.0;
};

/* Headings and index entries: [page, anchor, heading to show, words]. */
const placesOf = (index) => {
  const places = [];
  for (const [title, found] of Object.entries(index.alltitles))
    for (const [page, id] of found)
      places.push([page, id ? `#${id}` : "", id ? title : "", new Set(wordsOf(title))]);
  for (const [entry, found] of Object.entries(index.indexentries))
    for (const [page, id] of found)
      places.push([page, id ? `#${id}` : "", entry, new Set(wordsOf(entry))]);
  return places;
};

const asList = (pages) => (Array.isArray(pages) ? pages : pages === undefined ? [] : [pages]);

/* For each page, how far its text has a word of the query. */
const pagesWith = (word, index) => {
  const found = new Map();
  const add = (pages, weight) =>
    asList(pages).forEach((page) => found.set(page, Math.max(weight, found.get(page) || 0.0)));
  for (const terms of [index.terms, index.titleterms]) {
    if (Object.hasOwn(terms, word)) add(terms[word], 1.0);
    else if (word.length > 3)
      for (const term of Object.keys(terms))
        if (term.startsWith(word)) add(terms[term], PART_OF_WORD);
  }
  return found;
};

const rankedPages = (index, words) => {
  const count = index.docnames.length;
  const places = placesOf(index);
  const text = new Map(words.map((word) => [word, pagesWith(word, index)]));
  const rarity = (word) => {
    const entries = new Set(places.filter((place) => match(word, place[3])).map(([page]) => page));
    const pages = new Set([...text.get(word).keys(), ...entries]);
    return Math.log(1.0 + count / Math.max(pages.size, 1));
  };
  const rarities = new Map(words.map((word) => [word, rarity(word)]));
  const best = new Map();
  for (const [page, anchor, heading, has] of places) {
    const title = new Set(wordsOf(index.titles[page]));
    let score = 0.0;
    let inHeading = 0.0;
    for (const word of words) {
      const weight = rarities.get(word);
      const byHeading = match(word, has);
      inHeading += byHeading;
      score +=
        weight
        * Math.max(
          IN_HEADING * byHeading,
          IN_TITLE * match(word, title),
          IN_TEXT * (text.get(word).get(page) || 0.0),
        );
    }
    // of two headings with the same words of the query, the one with fewer others
    score *= weightOf(index.docnames[page]) * (1.0 + (0.1 * inHeading) / Math.max(has.size, 1));
    const previous = best.get(page);
    if (score > 0.0 && (!previous || score > previous.score))
      best.set(page, { page, score, anchor: inHeading ? anchor : "", heading: inHeading ? heading : "" });
  }
  const sorted = [...best.values()].sort((a, b) => b.score - a.score).slice(0, MOST_PAGES);
  return sorted.filter(({ score }) => score >= LEAST_SHARE * sorted[0].score);
};

/* Returns the results in the form of Sphinx, the best last. */
const rankedResults = (query, searchTerms, excludedTerms, highlightTerms, objectTerms) => {
  const index = Search._index;
  const progress = document.getElementById("search-progress");
  if (progress) progress.replaceChildren();
  const words = [...searchTerms];
  const pages = rankedPages(index, words).map(({ page, score, anchor, heading }) => {
    const title = index.titles[page];
    const shown = heading && heading !== title ? `${title} > ${heading}` : title;
    return [index.docnames[page], shown, anchor, null, Math.round(100 * score), index.filenames[page], "text"];
  });
  const isName = /[_.(]/.test(query.trim()) && !query.trim().includes(" ");
  const name = query.trim().replace(/\(.*$/, "").toLowerCase();
  const objects = Search.performObjectSearch(name, new Set([name]))
    .sort((a, b) => b[4] - a[4])
    .slice(0, isName ? 10 : 3);
  return (isName ? [...objects, ...pages] : [...pages, ...objects]).reverse();
};

document.addEventListener("DOMContentLoaded", () => {
  if (typeof Search !== "undefined" && Search._performSearch) Search._performSearch = rankedResults;
});
