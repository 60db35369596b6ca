package dev.decant.lab.fix;

import dev.decant.lab.driver.RateLine;
import dev.decant.lab.live.RunListener;
import dev.decant.testkit.ChildJvm;
import dev.decant.testkit.ClusterException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * Makes round trips in a JVM whose collector never collects, with a small heap: an engine that allocates for each
 * message runs out of memory before the end.
 */
public final class EpsilonProof {
  /**
   * The JVM flags, with which a reader can repeat the proof. The lab's own classes, the dictionary and the result take
   * about 40 MiB; the engine's threads take less than 2 MiB, and nothing for a message. Garbage would fill the rest
   * within seconds.
   */
  public static final List<String> FLAGS = List.of("-XX:+UnlockExperimentalVMOptions", "-XX:+UseEpsilonGC", "-Xmx96m");

  private static final long WARM_UP_MESSAGES = 50_000;
  private static final long WARM_UP_MILLIS = 10_000;
  private static final int HEARTBEAT_SECONDS = 1;
  private static final Duration PATIENCE = Duration.ofHours(2);

  private final Processors processors;
  private final Path logs;
  private final Path scratch;
  private final RunListener listener;

  /**
   * Prepares the proof.
   *
   * @param processors processors of this machine; a JVM is bound to one if that is possible
   * @param logs directory for the standard error of the JVMs
   * @param scratch directory for stores and logs of the engines, which are deleted again
   * @param listener follows each step
   */
  public EpsilonProof(Processors processors, Path logs, Path scratch, RunListener listener) {
    this.processors = processors;
    this.logs = logs;
    this.scratch = scratch;
    this.listener = listener;
  }

  /**
   * The result of one engine.
   *
   * @param engine the engine
   * @param messages number of round trips
   * @param allocatedBytes bytes that all threads have allocated during the round trips
   * @param failure reason of the failure; empty if the engine has reached the end
   */
  public record Ending(Engine engine, long messages, long allocatedBytes, String failure) {

    @Override
    public String toString() {
      return engine.label() + ": " + (failure.isEmpty()
          ? String.format(Locale.ROOT, "%,d round trips with %s ended well; %,d bytes allocated", messages,
              String.join(" ", FLAGS), allocatedBytes)
          : "did not end well: " + failure);
    }
  }

  /**
   * Runs one engine, with the log of messages on and the shortest heartbeat interval.
   *
   * @param engine the engine
   * @param messages number of round trips
   * @return the result
   */
  public Ending run(Engine engine, long messages) {
    try {
      Files.createDirectories(logs);
      Files.createDirectories(scratch);
    } catch (IOException e) {
      throw new UncheckedIOException("no directory for logs and stores: " + e.getMessage(), e);
    }
    FixMode mode = processors.obstacle(FixMode.ONE_CPU).isEmpty() ? FixMode.ONE_CPU : FixMode.TWO_CPUS_BLOCKING;
    try (ScratchDirectory directory = ScratchDirectory.below(scratch)) {
      FixSpec spec = new FixSpec(engine, engine.isDecant() ? FixWork.ROUND_TRIPS_LOGGED : FixWork.ROUND_TRIPS, false,
          new FixSpec.Amount(WARM_UP_MESSAGES, WARM_UP_MILLIS, messages, 0, 0),
          FixSpec.Sessions.of(engine, 1, HEARTBEAT_SECONDS, engine.isDecant()), directory.path().toString());
      ChildJvm jvm = ChildJvm.start(engine.label() + " with Epsilon", processors.launcher(mode),
          FixJvm.arguments(spec, FLAGS), logs.resolve(engine.label() + "-epsilon.log"),
          line -> RateLine.read(line).ifPresent(listener::onRate));
      try {
        jvm.ask("warm", PATIENCE);
        FixMeasured measured = FixMain
            .measured(jvm.ask(listener.wantsRates() ? FixMain.MEASURE_AND_REPORT : "measure", PATIENCE));
        return new Ending(engine, measured.measured().records(), measured.measured().allocatedBytes(), "");
      } finally {
        jvm.end();
      }
    } catch (ClusterException | IllegalStateException e) {
      return new Ending(engine, 0, 0, String.valueOf(e.getMessage()).lines().findFirst().orElse(""));
    }
  }
}
