package dev.decant.agent;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Lines of the report, each of them once and not more than a bound. Any thread. */
final class BoundedReport {
  private final int most;
  private final Set<String> lines = ConcurrentHashMap.newKeySet();
  /** How many places are taken, or are being taken. */
  private final AtomicInteger taken = new AtomicInteger();
  private volatile boolean lacksSome;

  /** With room for so many lines. */
  BoundedReport(int most) {
    this.most = most;
  }

  /** Returns false if the line is there already, or there is no room. */
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
    if (!isNew) { // another thread was faster
      taken.decrementAndGet();
    }
    return isNew;
  }

  /** All lines in the order of their text, with a last one if there were more. */
  List<String> lines() {
    List<String> all = new ArrayList<>(lines.stream().sorted().toList());
    if (lacksSome) {
      all.add("note: there were more lines; the report has " + most + " at most");
    }
    return all;
  }
}
