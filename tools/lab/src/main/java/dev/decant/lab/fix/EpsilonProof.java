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
 * Round trips in a JVM whose collector never collects, with a small heap: an engine that allocates for each message
 * does not get to the end.
 */
public final class EpsilonProof {
  /**
   * The flags that anybody can repeat it with. The lab's own classes, the dictionary and the result take some 40 MiB in
   * all; the engine's threads take less than 2, and nothing for a message. The rest would be full after seconds of
   * garbage.
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
   * Prepares it.
   *
   * @param processors of this machine; one is used if a JVM can be bound to it
   * @param logs directory for what the JVMs write to standard error
   * @param scratch directory below which stores and logs of the engines are written, and deleted again
   * @param listener told of each step
   */
  public EpsilonProof(Processors processors, Path logs, Path scratch, RunListener listener) {
    this.processors = processors;
    this.logs = logs;
    this.scratch = scratch;
    this.listener = listener;
  }

  /**
   * How it went with one engine.
   *
   * @param engine which
   * @param messages round trips that were done
   * @param allocatedBytes by all threads, while they were done
   * @param failure why it has not ended well; empty if it has
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
   * @param engine which
   * @param messages how many round trips
   * @return how it went
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
            .measured(jvm.ask(listener.wantsRates() ? FixMain.MEASURE_AND_TELL : "measure", PATIENCE));
        return new Ending(engine, measured.measured().records(), measured.measured().allocatedBytes(), "");
      } finally {
        jvm.end();
      }
    } catch (ClusterException | IllegalStateException e) {
      return new Ending(engine, 0, 0, String.valueOf(e.getMessage()).lines().findFirst().orElse(""));
    }
  }
}
