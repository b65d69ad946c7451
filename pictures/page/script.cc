#include "pictures/page/assets.h"

namespace isoshard::pictures {

std::string_view page_script() {
  return R"js(
(function () {
  'use strict';
  var WORDS = {R: 'R, equal on all devices', I: 'I, equal on all devices', V: 'V, each device has its own',
               P: 'P, each device has a term of a sum', '=': '=, equal on all devices', '?': '?, an error was reported before'};
  var COLOURS = ['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#56b4e9', '#d55e00', '#f0e442', '#999999'];

  function letters(n) {  // 0 is A, 26 is AA
    var text = '';
    for (n += 1; n > 0; n = Math.floor((n - 1) / 26)) text = String.fromCharCode(65 + (n - 1) % 26) + text;
    return text;
  }

  function coordinates(axes, position) {
    var result = [];
    for (var a = axes.length - 1; a >= 0; --a) {
      result[a] = position % axes[a][1];
      position = Math.floor(position / axes[a][1]);
    }
    return result;
  }

  // What a device has: the devices with the same letter have the same; a term of a sum is told by its number.
  function holding(axes, value, position) {
    if (value.d) return {key: String(value.d[position]), term: ''};
    var at = coordinates(axes, position), key = [], term = [];
    for (var a = 0; a < axes.length; ++a) {
      var state = (value.s || '')[a];
      if (state === 'V') key.push(at[a]);
      if (state === 'P') term.push(at[a] + 1);
      if (state === '?') return {key: '', unknown: true};
    }
    return {key: key.join(','), term: term.length ? '+' + term.join('.') : ''};
  }

  function description(axes, value) {
    var lines = [value.n + ' : ' + value.t];
    axes.forEach(function (axis, a) {
      var state = (value.s || '')[a];
      if (state) lines.push(axis[0] + ': ' + WORDS[state]);
    });
    if ((value.s || '').indexOf('?') >= 0) return lines.join('\n');
    (value.b || []).slice(0, 64).forEach(function (block, i) { lines.push(letters(i) + ' is ' + block); });
    if (value.b && value.b.length > 64) lines.push('and ' + (value.b.length - 64) + ' more blocks');
    if (value.b) {
      lines.push('Devices with the same letter have the same block.');
    } else if (value.s) {
      lines.push('By its states, devices with the same letter hold the same.');
    }
    if ((value.s || '').indexOf('P') >= 0) lines.push('+1, +2, ... are the terms of a sum.');
    return lines.join('\n');
  }

  function Section(root, data) {
    var rows = Array.prototype.slice.call(root.querySelectorAll('tr.value'));
    var cells = Array.prototype.slice.call(root.querySelectorAll('table.mesh td[data-d]'));
    var known = Boolean(data.values.length), uses = {};
    data.values.forEach(function (value, i) {
      (value.o || []).forEach(function (operand) { (uses[operand] = uses[operand] || []).push(i); });
    });

    function mark(index) {
      rows.forEach(function (row) { row.classList.remove('on', 'made', 'uses'); });
      (data.values[index].o || []).forEach(function (i) { rows[i].classList.add('made'); });
      (uses[index] || []).forEach(function (i) { rows[i].classList.add('uses'); });
      rows[index].classList.add('on');
    }

    function show(index) {
      var value = data.values[index], seen = {}, count = 0, stated = Boolean(value.s || value.d || !data.axes.length);
      cells.forEach(function (cell) {
        var held = holding(data.axes, value, Number(cell.dataset.d));
        if (!(held.key in seen)) seen[held.key] = count++;
        var number = seen[held.key];
        cell.querySelector('em').textContent = held.unknown ? '?' : stated ? letters(number) + held.term : '';
        cell.style.boxShadow = !held.unknown && stated ? 'inset 0 -4px ' + COLOURS[number % COLOURS.length] : '';
      });
      root.querySelector('.who').textContent = 'devices, ' + value.n;
      root.querySelector('.said').textContent = description(data.axes, value);
      mark(index);
    }

    function go(index) {
      if (index >= 0) if (rows.length > index) {
        rows.forEach(function (row) { row.tabIndex = -1; });
        rows[index].tabIndex = 0;
        rows[index].focus();
      }
    }

    rows.forEach(function (row, index) {
      row.addEventListener('mouseenter', function () { show(index); });
      row.addEventListener('focus', function () { show(index); });
      row.addEventListener('keydown', function (event) {
        var step = {ArrowDown: 1, ArrowUp: -1}[event.key];
        if (step) { event.preventDefault(); go(index + step); }
      });
    });
    var wrong = root.querySelector('tr.wrong');
    if (known) if (!wrong) show(0);
    if (known) if (wrong) {
      show(Number(wrong.dataset.i));
      var list = root.querySelector('div.values');
      list.scrollTop = wrong.offsetTop - list.clientHeight / 3;
    }
  }

  function Picture(box) {
    var cells = Array.prototype.slice.call(box.querySelectorAll('g.cell')), at = -1;
    var told = box.parentNode.querySelector('.told');
    function show(index) {
      if (at >= 0) cells[at].classList.remove('on');
      at = index;
      cells[at].classList.add('on');
      told.textContent = cells[at].querySelector('title').textContent;
    }
    cells.forEach(function (cell, index) { cell.addEventListener('mouseenter', function () { show(index); }); });
    box.addEventListener('keydown', function (event) {
      var step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
      if (!step || !cells.length) return;
      event.preventDefault();
      show(Math.min(cells.length - 1, Math.max(0, at + step)));
      cells[at].scrollIntoView({block: 'nearest', inline: 'nearest'});
    });
  }

  JSON.parse(document.getElementById('isoshard-data').textContent).forEach(function (data, i) {
    Section(document.getElementById('p' + i), data);
  });
  document.querySelectorAll('.scroll').forEach(function (box) { Picture(box); });
}());
)js";
}

}  // namespace isoshard::pictures
