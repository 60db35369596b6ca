package dev.decant.lab.carriers;

import java.util.ArrayList;
import java.util.List;

/**
 * The settings of a server's threads.
 *
 * @param parallelism number of carrier threads, or of an NIO server's event loops
 * @param pollerMode {@code jdk.pollerMode}: 2 for pollers on virtual threads (the JDK's choice on Linux), 1 for pollers
 *     on platform threads; 0 for an NIO server
 * @param readPollers {@code jdk.readPollers}; 0 for the JDK's choice
 * @param nice priority of the carrier threads
 */
public record Setting(int parallelism, int pollerMode, int readPollers, int nice) {

  /** Pollers on virtual threads. */
  public static final int VIRTUAL_POLLERS = 2;
  /** Pollers on platform threads. */
  public static final int PLATFORM_POLLERS = 1;

  /**
   * Returns the JDK's default setting.
   *
   * @param cpus number of the machine's processors
   * @return as many carriers as processors, pollers on virtual threads
   */
  static Setting ofTheJdk(int cpus) {
    return new Setting(cpus, VIRTUAL_POLLERS, 0, 0);
  }

  static Setting loops(int count) {
    return new Setting(count, 0, 0, 0);
  }

  Setting withReadPollers(int count) {
    return new Setting(parallelism, pollerMode, count, nice);
  }

  Setting withNice(int value) {
    return new Setting(parallelism, pollerMode, readPollers, value);
  }

  /**
   * Returns the flags of the server's JVM for this setting. The priority is no flag.
   *
   * @return none for an NIO server
   */
  List<String> flags() {
    List<String> flags = new ArrayList<>();
    if (pollerMode != 0) {
      flags.add("-Djdk.virtualThreadScheduler.parallelism=" + parallelism);
      flags.add("-Djdk.pollerMode=" + pollerMode);
    }
    if (readPollers != 0) {
      flags.add("-Djdk.readPollers=" + readPollers);
    }
    return flags;
  }

  /**
   * Returns the label for people.
   *
   * @return a few words
   */
  public String label() {
    if (pollerMode == 0) {
      return parallelism == 1 ? "1 loop" : parallelism + " loops";
    }
    return (parallelism == 1 ? "1 carrier" : parallelism + " carriers") + ", poller mode " + pollerMode
        + (readPollers == 0 ? "" : ", read pollers " + readPollers) + (nice == 0 ? "" : ", nice " + nice);
  }
}
