package dev.decant.lab;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.decant.lab.live.LiveRun;
import dev.decant.lab.live.RunListener;
import dev.decant.lab.live.Turn;
import dev.decant.lab.report.Environment;
import java.io.IOException;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The surroundings of a run: the terminal shows its steps, a page may show them, and Ctrl-C or SIGTERM ends the run.
 * One thread at a time, except {@link #onRate}.
 */
final class Session implements RunListener, AutoCloseable {
  private final StatusLine status;
  private List<Turn> turns = List.of();
  private final List<String> shown;
  /** Most readers of the page at the same time. The result names it, since readers take processor time. */
  private final AtomicInteger readers = new AtomicInteger();
  private final LiveOptions.@Nullable Page page;
  private final @Nullable LiveRun live;
  private final Interruption interruption;
  private int planned;
  private int taken;
  private boolean hasEnded;

  /**
   * Starts the display of a run.
   *
   * @param spec the command
   * @param options says whether there is a page
   * @param title title of the page
   * @param cluster cluster of the run; empty if there is none
   * @param shown names of the figures that the page shows for each sample; empty for all
   */
  Session(CommandSpec spec, LiveOptions options, String title, String cluster, List<String> shown) {
    status = new StatusLine(spec.commandLine().getErr(), StatusLine.isTerminal());
    this.shown = shown;
    page = options.open(spec, count -> readers.accumulateAndGet(count, Math::max));
    live = page == null ? null : new LiveRun(page.feed(), InstantSource.system());
    interruption = Interruption.of(() -> onLine("interrupted: ending what runs, and writing what was measured"));
    if (page != null && live != null) {
      live.begin(title, cluster, spec.commandLine().getParseResult().originalArgs(), Environment.describe());
      onLine("live: " + page.server().address());
    }
  }

  @Override
  public void onPlan(List<Turn> turns) {
    planned = turns.size();
    this.turns = turns;
    if (live != null) {
      live.plan(turns);
    }
  }

  @Override
  public void onBegin(int turn) {
    if (live != null) {
      live.start(turn);
    }
    if (turn < turns.size()) {
      Turn begun = turns.get(turn);
      status.begin("sample " + (turn + 1) + " of " + planned + ": " + begun.scenario() + ", " + begun.client());
    }
    interruption.enter();
  }

  @Override
  public boolean wantsRates() {
    return live != null; // each report costs the client a system call, which the terminal is not worth
  }

  @Override
  public void onRate(long recordsPerSecond) {
    status.rate(recordsPerSecond);
    if (live != null) {
      live.rate(recordsPerSecond);
    }
  }

  @Override
  public void onSample(int turn, Map<String, Double> figures, List<Long> recordsPerSecond) {
    interruption.leave();
    status.end();
    taken++;
    if (live != null) {
      live.sample(turn, shown(figures), recordsPerSecond);
    }
  }

  private Map<String, Double> shown(Map<String, Double> figures) {
    if (shown.isEmpty()) {
      return figures;
    }
    Map<String, Double> chosen = new LinkedHashMap<>();
    shown.forEach(name -> chosen.put(name, figures.getOrDefault(name, Double.NaN)));
    return chosen;
  }

  @Override
  public void onFailure(int turn, String why) {
    interruption.leave();
    status.end();
    if (live != null) {
      live.failure(turn, why);
    }
  }

  @Override
  public void onLine(String line) {
    status.print(line);
    if (live != null) {
      live.line(line);
    }
  }

  @Override
  public boolean isEnding() {
    return interruption.isInterrupted();
  }

  /** Runs something other than a sample that an interrupt may end. */
  void interruptibly(Runnable work) {
    interruption.enter();
    try {
      work.run();
    } finally {
      interruption.leave();
    }
  }

  /** Returns the reason for which the run ended before its plan was done; empty if there is none. */
  String ending() {
    return isEnding() ? "interrupted after " + taken + " of " + planned + " samples" : "";
  }

  /** Returns true if the run was ended before anything was measured, so that there is no result. */
  boolean hasNothing() {
    return isEnding() && taken == 0;
  }

  /** Writes the result and returns one line that names it. Without any sample an earlier result stays. */
  String keep(ResultFiles files, ObjectNode root, Function<ObjectNode, String> page) throws IOException {
    if (hasNothing()) {
      files.removeEmpty();
      return "interrupted before a sample was taken; nothing was kept";
    }
    describe(root);
    String paths = files.write(root, page.apply(root));
    return isEnding() ? ending() + ", which are kept: " + paths : "written: " + paths;
  }

  /** Adds the circumstances of the run to its result. */
  private void describe(ObjectNode root) {
    if (isEnding()) {
      root.put("interrupted", ending());
    }
    if (live != null) {
      root.put("live_readers", readers.get());
    }
  }

  /** Shows the end of the run. */
  void end(List<String> verdicts, String written) {
    hasEnded = true;
    if (live != null) {
      live.end(ending(), verdicts, written);
    }
  }

  /** Returns the exit code of the command. */
  int code(int completed) {
    return isEnding() ? Decant.INTERRUPTED : completed;
  }

  @Override
  public void close() {
    try {
      if (live != null && !hasEnded) {
        live.end("ended without a result, see the terminal", List.of(), "");
      }
      if (page != null) {
        page.server().close();
      }
    } finally {
      status.close();
      interruption.close();
    }
  }
}
