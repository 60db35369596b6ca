package dev.decant.agent;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** The lines of a report, each once, up to a bound. Any thread. */
final class BoundedReport {
  private final int most;
  private final Set<String> lines = ConcurrentHashMap.newKeySet();
  /** The number of lines, with those that are being added. */
  private final AtomicInteger taken = new AtomicInteger();
  private volatile boolean lacksSome;

  /** Makes a report with room for this number of lines. */
  BoundedReport(int most) {
    this.most = most;
  }

  /** Adds a line. Returns false if the line is there already, or there is no room. */
  boolean add(String line) {
    if (lines.contains(line)) {
      return false;
    }
    if (taken.incrementAndGet() > most) {
      taken.decrementAndGet();
      lacksSome = true;
      return false;
    }
    boolean isNew = lines.add(line);
    if (!isNew) { // another thread has added it meanwhile
      taken.decrementAndGet();
    }
    return isNew;
  }

  /** Returns all lines in the order of their text, with a last line that says if there were more. */
  List<String> lines() {
    List<String> all = new ArrayList<>(lines.stream().sorted().toList());
    if (lacksSome) {
      all.add("note: there were more lines; the report has " + most + " at most");
    }
    return all;
  }
}
