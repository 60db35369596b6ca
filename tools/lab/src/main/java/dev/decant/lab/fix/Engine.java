package dev.decant.lab.fix;

import java.util.Arrays;
import java.util.List;

/** What is measured: an engine with one of its stores, or none. The names are those of the tables. */
public enum Engine {
  /** Ours, with the bounded store in memory. */
  DECANT_MEMORY("decant-memory"),
  /** Ours, with the store that writes to a file before a message leaves. */
  DECANT_FILE("decant-file"),
  /** Ours, with the store whose file another thread writes. */
  DECANT_ASYNC("decant-async"),
  /** QuickFIX/J with its store in memory. */
  QUICKFIXJ_MEMORY("quickfixj-memory"),
  /** QuickFIX/J with its file store. */
  QUICKFIXJ_FILE("quickfixj-file"),
  /** An application of QuickFIX/J on Decant, with the bounded store in memory. */
  ADAPTER_MEMORY("adapter-memory"),
  /** Philadelphia, which stores nothing. */
  PHILADELPHIA("philadelphia"),
  /** The control: the bytes of the order over a socket, and nothing else. */
  BARE_SOCKET("bare-socket");

  private final String label;

  Engine(String label) {
    this.label = label;
  }

  /**
   * For people and files.
   *
   * @return in small letters
   */
  public String label() {
    return label;
  }

  /**
   * Whether it is ours.
   *
   * @return true with any store
   */
  public boolean isDecant() {
    return name().startsWith("DECANT_");
  }

  /** Whether the application is one of QuickFIX/J. */
  boolean isQuickFix() {
    return name().startsWith("QUICKFIXJ_") || this == ADAPTER_MEMORY;
  }

  /** Which store it has: {@code memory}, {@code file}, {@code async}; what stands behind the hyphen. */
  String store() {
    return label.substring(label.indexOf('-') + 1);
  }

  /** Whether it can do the work at all, and in that way. */
  boolean does(FixWork work, FixMode mode) {
    if (isQuickFix()) {
      return !mode.isSpinning(); // its threads block
    }
    return switch (this) {
      // its timers are the application's, and it writes no log
      case PHILADELPHIA -> work == FixWork.ROUND_TRIPS || work == FixWork.ONE_WAY;
      case BARE_SOCKET -> work != FixWork.IDLE && work != FixWork.ROUND_TRIPS_LOGGED;
      default -> true;
    };
  }

  /**
   * All names.
   *
   * @return in the order of declaration
   */
  public static List<String> labels() {
    return Arrays.stream(values()).map(Engine::label).toList();
  }

  /**
   * Finds one by its name.
   *
   * @param label as in {@link #labels}
   * @return which
   * @throws IllegalArgumentException when there is none
   */
  public static Engine labelled(String label) {
    return Arrays.stream(values()).filter(engine -> engine.label.equals(label)).findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no engine " + label));
  }
}
