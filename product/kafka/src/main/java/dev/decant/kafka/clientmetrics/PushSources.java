package dev.decant.kafka.clientmetrics;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The producers and consumers of a client. A client pushes once for all of them. Counters of the whole client get the
 * labels that all sources share. The source closed last stays, so that the last push has its labels. Any thread.
 */
public final class PushSources {
  /** The labels of a source at its close. */
  private record Closed(boolean isProducer, Map<String, String> labels) implements PushSource {
    @Override
    public int assignedPartitions() {
      return 0;
    }

    @Override
    public long largestLag() {
      return -1;
    }
  }

  // Guarded by the monitor.
  private final Set<PushSource> open = Collections.newSetFromMap(new IdentityHashMap<>());
  private final Map<Boolean, PushSource> lastClosed = new LinkedHashMap<>();

  /** Creates an empty set. */
  public PushSources() {}

  /** Adds a producer or consumer that was opened. */
  public synchronized void add(PushSource source) {
    open.add(source);
  }

  /** Removes a source that is being closed and still has its labels. Owner of the loop only. */
  public synchronized void remove(PushSource source) {
    if (open.remove(source)) {
      lastClosed.put(source.isProducer(), new Closed(source.isProducer(), source.labels()));
    }
  }

  synchronized List<PushSource> of(boolean producers) {
    List<PushSource> found = new ArrayList<>();
    for (PushSource source : open) {
      if (source.isProducer() == producers) {
        found.add(source);
      }
    }
    PushSource last = lastClosed.get(producers);
    if (found.isEmpty() && last != null) {
      found.add(last);
    }
    return found;
  }

  /** Returns the labels that all these sources have with the same values. */
  static Map<String, String> shared(List<PushSource> sources) {
    Map<String, String> shared = new LinkedHashMap<>(sources.getFirst().labels());
    for (PushSource source : sources) {
      shared.entrySet().retainAll(source.labels().entrySet());
    }
    return shared;
  }
}
