package dev.decant.lab.fix;

import java.util.Arrays;
import java.util.List;

/** An engine with one of its stores, or with none. The names are those of the tables. */
public enum Engine {
  /** Decant, with the bounded store in memory. */
  DECANT_MEMORY("decant-memory"),
  /** Decant, with the store that writes to a file before a message is sent. */
  DECANT_FILE("decant-file"),
  /** Decant, with the store whose file another thread writes. */
  DECANT_ASYNC("decant-async"),
  /** QuickFIX/J with its store in memory. */
  QUICKFIXJ_MEMORY("quickfixj-memory"),
  /** QuickFIX/J with its file store. */
  QUICKFIXJ_FILE("quickfixj-file"),
  /** An application of QuickFIX/J on Decant, with the bounded store in memory. */
  ADAPTER_MEMORY("adapter-memory"),
  /** Philadelphia, which stores nothing. */
  PHILADELPHIA("philadelphia"),
  /** The control: the order's bytes over a socket, and nothing else. */
  BARE_SOCKET("bare-socket");

  private final String label;

  Engine(String label) {
    this.label = label;
  }

  /**
   * Returns the name for people and files.
   *
   * @return in small letters
   */
  public String label() {
    return label;
  }

  /**
   * Returns true for Decant with its own interface.
   *
   * @return true with any store
   */
  public boolean isDecant() {
    return name().startsWith("DECANT_");
  }

  /** Returns true if the application is one of QuickFIX/J. */
  boolean isQuickFix() {
    return name().startsWith("QUICKFIXJ_") || this == ADAPTER_MEMORY;
  }

  /** Returns the store: the part of the name behind the hyphen, {@code memory}, {@code file} or {@code async}. */
  String store() {
    return label.substring(label.indexOf('-') + 1);
  }

  /** Returns true if the engine can do a work in a mode. */
  boolean does(FixWork work, FixMode mode) {
    if (isQuickFix()) {
      return !mode.isSpinning(); // QuickFIX/J's threads block
    }
    return switch (this) {
      // Philadelphia leaves timers to the application, and writes no log
      case PHILADELPHIA -> work == FixWork.ROUND_TRIPS || work == FixWork.ONE_WAY;
      case BARE_SOCKET -> work != FixWork.IDLE && work != FixWork.ROUND_TRIPS_LOGGED;
      default -> true;
    };
  }

  /**
   * Returns all names.
   *
   * @return in the order of declaration
   */
  public static List<String> labels() {
    return Arrays.stream(values()).map(Engine::label).toList();
  }

  /**
   * Returns the engine of a name.
   *
   * @param label as in {@link #labels}
   * @return the engine
   * @throws IllegalArgumentException if no engine has that name
   */
  public static Engine labelled(String label) {
    return Arrays.stream(values()).filter(engine -> engine.label.equals(label)).findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no engine " + label));
  }
}
