package dev.decant.kafka.telemetry;

import dev.decant.event.Event;
import dev.decant.event.Listeners;
import dev.decant.kafka.Statistic;
import dev.decant.kafka.event.ErrorKind;
import dev.decant.kafka.event.MetadataListener;

/** Fired by the cluster. Owner of the loop only. */
public final class MetadataEvents {
  final Listeners<MetadataListener> listeners = new Listeners<>(MetadataListener.class);
  private final Event<MetadataListener> updated = listeners.event("onUpdated");
  private final Event<MetadataListener> leader = listeners.event("onLeaderChanged");
  private final Counters counters;
  private final ErrorFunnel errors;

  MetadataEvents(Counters counters, ErrorFunnel errors) {
    this.counters = counters;
    this.errors = errors;
  }

  /**
   * New metadata is in use.
   *
   * @param brokers in the cluster
   * @param topics in use
   */
  public void updated(int brokers, int topics) {
    counters.add(Statistic.METADATA_UPDATES, 1);
    MetadataListener[] told = updated.listeners();
    if (told != null) {
      for (MetadataListener l : told) {
        try {
          l.onUpdated(brokers, topics);
        } catch (Throwable e) {
          errors.listenerFailed("onUpdated", e);
        }
      }
    }
  }

  /**
   * Tells whether anybody wants to know of new leaders; if not, they need not be looked for.
   *
   * @return true if so
   */
  public boolean wantsLeaders() {
    return leader.listeners() != null;
  }

  /**
   * A partition has another leader.
   *
   * @param topic the topic
   * @param partition the partition
   * @param before broker id or -1
   * @param now broker id or -1
   */
  public void leaderChanged(String topic, int partition, int before, int now) {
    MetadataListener[] told = leader.listeners();
    if (told != null) {
      for (MetadataListener l : told) {
        try {
          l.onLeaderChanged(topic, partition, before, now);
        } catch (Throwable e) {
          errors.listenerFailed("onLeaderChanged", e);
        }
      }
    }
  }

  /**
   * Metadata could not be had.
   *
   * @param broker that was asked
   * @param cause why
   */
  public void failed(String broker, Throwable cause) {
    errors.report(ErrorKind.METADATA_FAILED, broker, cause);
  }
}
