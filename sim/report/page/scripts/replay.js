'use strict';
// Predicted and measured timelines of the same program, one above the other on one scale of time.

function replay_timelines(predicted, measured) {
  const view = time_window(Math.max(predicted.end_s, measured.end_s));
  const heading = (name, data) => section(`${name}: ${human_time(data.end_s)}`, timeline(data, view));
  return [heading('Predicted', predicted), heading('Measured', measured)];
}

function replay_errors(replay) {
  const columns = [
    { name: 'what', text: true, value: (e) => e.what },
    { name: 'error of the prediction', value: (e) => e.error, show: human_percent, heat: (e) => Math.abs(e.error || 0) * 2 },
  ];
  return section('Errors', table(columns, Object.entries(replay.error).map(([what, error]) => ({ what: what.replaceAll('_', ' '), error }))));
}

function replay_ranks(replay) {
  const parts = (r) => section(r === replay.predicted ? 'Ranks, predicted' : 'Ranks, measured',
    stacked_bars(r.ranks, (rank) => `rank ${rank.rank}`, rank_parts(r), human_time));
  return element('div', { class: 'pair' }, parts(replay.predicted), parts(replay.measured));
}

function show_replay(page, content) {
  const replays = page.results.replays || [page.results];
  replays.forEach((replay, i) => {
    const { predicted, measured } = replay;
    content.append(tiles([['predicted iteration', human_time(predicted.iteration_time_s)], ['measured iteration', human_time(measured.iteration_time_s)],
      ['error', human_percent(replay.error.iteration_time)], ['ran on', replay.backend], ['compute', replay.compute]]),
    ...replay_timelines(page.timelines[2 * i], page.timelines[2 * i + 1]), replay_errors(replay));
    if (predicted.ranks.length) content.append(replay_ranks(replay));
  });
}
