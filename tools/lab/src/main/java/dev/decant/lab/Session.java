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
 * What surrounds every run: the terminal is told of it, a page may show it, Ctrl-C and SIGTERM end it. One thread, but
 * for {@link #onRate}.
 */
final class Session implements RunListener, AutoCloseable {
  private final StatusLine status;
  private List<Turn> turns = List.of();
  private final List<String> shown;
  /** How many have looked at the page at once, at most: they take processor time. */
  private final AtomicInteger readers = new AtomicInteger();
  private final LiveOptions.@Nullable Page page;
  private final @Nullable LiveRun live;
  private final Interruption interruption;
  private int planned;
  private int taken;
  private boolean told;

  /**
   * Begins.
   *
   * @param spec of the command
   * @param options whether there is a page
   * @param title of the page
   * @param cluster on which it runs; empty if on none
   * @param shown names of the figures that the page shows of each sample; none for all
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
    return live != null; // telling them costs the client a system call a second: the terminal does without
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

  /** Does something that is no sample and may be cut short. */
  void interruptibly(Runnable work) {
    interruption.enter();
    try {
      work.run();
    } finally {
      interruption.leave();
    }
  }

  /** What has ended the run before its plan was done; empty if nothing. */
  String ending() {
    return isEnding() ? "interrupted after " + taken + " of " + planned + " samples" : "";
  }

  /** Whether it was ended before anything was measured, so that there is nothing to show. */
  boolean hasNothing() {
    return isEnding() && taken == 0;
  }

  /** Writes the result, and says in one line what was kept, and where. If it is nothing, an earlier result stays. */
  String keep(ResultFiles files, ObjectNode root, Function<ObjectNode, String> page) throws IOException {
    if (hasNothing()) {
      files.removeEmpty();
      return "interrupted before a sample was taken; nothing was kept";
    }
    describe(root);
    String paths = files.write(root, page.apply(root));
    return isEnding() ? ending() + ", which are kept: " + paths : "written: " + paths;
  }

  /** Adds to a result what one must know of how it came about. */
  private void describe(ObjectNode root) {
    if (isEnding()) {
      root.put("interrupted", ending());
    }
    if (live != null) {
      root.put("live_readers", readers.get());
    }
  }

  /** Tells the end. */
  void end(List<String> verdicts, String written) {
    told = true;
    if (live != null) {
      live.end(ending(), verdicts, written);
    }
  }

  /** The exit code of the command. */
  int code(int usual) {
    return isEnding() ? Decant.INTERRUPTED : usual;
  }

  @Override
  public void close() {
    try {
      if (live != null && !told) {
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
