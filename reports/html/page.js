/* SPDX-License-Identifier: Apache-2.0
 *
 * Filters, sorts and folds the rows, and copies commands. The page says all of
 * what it says without. Nothing of a module is in here.
 */
(function () {
'use strict';

var SHOWN = 500;
var text = document.getElementById('f-text');
var verdict = document.getElementById('f-verdict');
var target = document.getElementById('f-target');
var sort = document.getElementById('f-sort');
var shown = document.getElementById('shown');
var rows = document.getElementById('rows');
var more = document.getElementById('more');
var moreRows = document.getElementById('more-rows');
var moreCount = document.getElementById('more-n');

/* What is looked at of a row, taken once: ten thousand rows are asked often. */
function describe(row, place) {
    var number = row.id.slice(1);
    return {
        row: row,
        place: place,
        section: document.getElementById('s' + number),
        text: row.textContent.toLowerCase(),
        name: row.cells[0].textContent,
        verdict: row.dataset.v,
        targets: (row.dataset.t || '').split(' '),
        time: Number(row.dataset.ms)
    };
}

var orders = {
    worst: function (a, b) { return a.place - b.place; },
    name: function (a, b) {
        return a.name < b.name ? -1 : a.name > b.name ? 1 : a.place - b.place;
    },
    time: function (a, b) { return b.time - a.time || a.place - b.place; }
};

function fill(body, items) {
    var all = document.createDocumentFragment();
    items.forEach(function (item) { all.append(item.row); });
    body.replaceChildren(all);
}

function setUpTable() {
    var items = Array.from(document.querySelectorAll('table.pairs tbody tr'));
    items = items.map(describe);

    function wanted(item) {
        var words = text.value.toLowerCase().split(/\s+/);
        return words.every(function (w) { return item.text.includes(w); }) &&
            (!verdict.value || item.verdict === verdict.value) &&
            (!target || !target.value || item.targets.includes(target.value));
    }

    function update() {
        var kept = items.filter(wanted);
        kept.sort(orders[sort.value]);
        fill(rows, kept.slice(0, SHOWN));
        if (more) {
            var rest = kept.slice(SHOWN);
            fill(moreRows, rest);
            more.hidden = rest.length === 0;
            moreCount.textContent = rest.length;
        }
        var there = new Set(kept);
        items.forEach(function (item) {
            if (item.section)
                item.section.hidden = !there.has(item);
        });
        shown.textContent = kept.length === items.length
            ? items.length + ' pairs'
            : kept.length + ' of ' + items.length + ' pairs';
    }

    [text, verdict, target, sort].forEach(function (control) {
        if (control)
            control.addEventListener('input', update);
    });
    document.getElementById('controls').hidden = false;
    update();
}

/* A link to what is folded unfolds it. */
function unfold() {
    var at = document.getElementById(decodeURIComponent(
        location.hash.slice(1)));
    for (var up = at; up; up = up.parentElement)
        if (up.tagName === 'DETAILS')
            up.open = true;
    if (at)
        at.scrollIntoView();
}

function copy(button) {
    var source = document.getElementById(button.dataset.copy);
    var label = button.textContent;
    function say(words) {
        button.textContent = words;
        setTimeout(function () { button.textContent = label; }, 2000);
    }
    function select() { /* no clipboard here: it is ready for Ctrl-C */
        getSelection().selectAllChildren(source);
        say('Selected: press Ctrl-C');
    }
    if (!navigator.clipboard) {
        select();
        return;
    }
    navigator.clipboard.writeText(source.textContent).then(
        function () { say('Copied'); }, select);
}

if (text && rows)
    setUpTable();
document.querySelectorAll('button.copy').forEach(function (button) {
    button.hidden = false;
    button.addEventListener('click', function () { copy(button); });
});
addEventListener('hashchange', unfold);
if (location.hash)
    unfold();
})();
