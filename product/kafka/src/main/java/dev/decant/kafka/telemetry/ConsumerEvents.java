package dev.decant.kafka.telemetry;

import dev.decant.event.Event;
import dev.decant.event.Listeners;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.Statistic;
import dev.decant.kafka.TopicPartition;
import dev.decant.kafka.event.ConsumerListener;
import dev.decant.kafka.event.ErrorKind;
import java.util.List;

/** Fired by consumers. Any thread. */
public final class ConsumerEvents {
  final Listeners<ConsumerListener> listeners = new Listeners<>(ConsumerListener.class);
  private final Event<ConsumerListener> fetched = listeners.event("onFetched");
  private final Event<ConsumerListener> found = listeners.event("onPositionFound");
  private final Event<ConsumerListener> assigned = listeners.event("onAssignmentChanged");
  private final Event<ConsumerListener> pollBegan = listeners.event("onPollBegan");
  private final Event<ConsumerListener> delivered = listeners.event("onDelivered");
  private final Event<ConsumerListener> polled = listeners.event("onPolled");
  private final Event<ConsumerListener> skipped = listeners.event("onRecordSkipped");
  private final Counters counters;
  private final ErrorFunnel errors;
  private final Metering metering;

  ConsumerEvents(Counters counters, ErrorFunnel errors, Metering metering) {
    this.counters = counters;
    this.errors = errors;
    this.metering = metering;
  }

  /**
   * The client's meter.
   *
   * @return tells it, if there is one
   */
  public Metering metering() {
    return metering;
  }

  /**
   * A fetch got its response.
   *
   * @param broker host and port
   * @param partitions with records
   * @param bytes of the response
   */
  public void fetched(String broker, int partitions, int bytes) {
    counters.add(Statistic.FETCHES, 1);
    ConsumerListener[] told = fetched.listeners();
    if (told != null) {
      for (ConsumerListener l : told) {
        try {
          l.onFetched(broker, partitions, bytes);
        } catch (Throwable e) {
          errors.listenerFailed("onFetched", e);
        }
      }
    }
  }

  /**
   * A position was found.
   *
   * @param topic the topic
   * @param partition the partition
   * @param offset the position
   */
  public void positionFound(String topic, int partition, long offset) {
    ConsumerListener[] told = found.listeners();
    if (told != null) {
      for (ConsumerListener l : told) {
        try {
          l.onPositionFound(topic, partition, offset);
        } catch (Throwable e) {
          errors.listenerFailed("onPositionFound", e);
        }
      }
    }
  }

  /**
   * Tells whether anybody wants to know of other assignments; if not, they need not be listed.
   *
   * @return true if so
   */
  public boolean wantsAssignments() {
    return assigned.listeners() != null;
  }

  /**
   * A consumer reads other partitions.
   *
   * @param group the group's id; empty without one
   * @param partitions all that it reads now
   */
  public void assignmentChanged(String group, List<TopicPartition> partitions) {
    ConsumerListener[] told = assigned.listeners();
    if (told != null) {
      for (ConsumerListener l : told) {
        try {
          l.onAssignmentChanged(group, partitions);
        } catch (Throwable e) {
          errors.listenerFailed("onAssignmentChanged", e);
        }
      }
    }
  }

  /**
   * Tells whether a listener wants to know of polls; if not, consumers keep no time of their last one.
   *
   * @return true if so
   */
  public boolean wantsPolls() {
    return pollBegan.listeners() != null;
  }

  /**
   * A poll begins.
   *
   * @param group the group's id; empty without one
   */
  public void pollBegan(String group) {
    ConsumerListener[] told = pollBegan.listeners();
    if (told != null) {
      for (ConsumerListener l : told) {
        try {
          l.onPollBegan(group);
        } catch (Throwable e) {
          errors.listenerFailed("onPollBegan", e);
        }
      }
    }
  }

  /**
   * A poll handed out records of a partition.
   *
   * @param topic the topic
   * @param partition the partition
   * @param records at least one
   */
  public void delivered(String topic, int partition, int records) {
    ConsumerListener[] told = delivered.listeners();
    if (told != null) {
      for (ConsumerListener l : told) {
        try {
          l.onDelivered(topic, partition, records);
        } catch (Throwable e) {
          errors.listenerFailed("onDelivered", e);
        }
      }
    }
  }

  /**
   * A poll handed out records.
   *
   * @param records at least one
   */
  public void polled(int records) {
    counters.add(Statistic.RECORDS_CONSUMED, records);
    ConsumerListener[] told = polled.listeners();
    if (told != null) {
      for (ConsumerListener l : told) {
        try {
          l.onPolled(records);
        } catch (Throwable e) {
          errors.listenerFailed("onPolled", e);
        }
      }
    }
  }

  /**
   * A fetch or a lookup failed.
   *
   * @param where broker or partition
   * @param again whether the consumer tries again by itself
   * @param cause why
   */
  public void failed(String where, boolean again, Throwable cause) {
    errors.report(again ? ErrorKind.FETCH_RETRIED : ErrorKind.FETCH_FAILED, where, cause);
  }

  /**
   * A log was cut off below where it had been read; the consumer goes on where it diverged.
   *
   * @param partition topic and number
   * @param cause says from where to where
   */
  public void truncated(String partition, Throwable cause) {
    errors.report(ErrorKind.LOG_TRUNCATED, partition, cause);
  }

  /**
   * A record that cannot be decoded was passed over.
   *
   * @param topic the topic
   * @param partition the partition
   * @param offset of the record
   * @param cause what the decoder has thrown
   */
  public void skipped(String topic, int partition, long offset, KafkaException cause) {
    counters.add(Statistic.RECORDS_SKIPPED, 1);
    errors.report(ErrorKind.RECORD_SKIPPED, topic + "-" + partition, cause);
    ConsumerListener[] told = skipped.listeners();
    if (told != null) {
      for (ConsumerListener l : told) {
        try {
          l.onRecordSkipped(topic, partition, offset, cause);
        } catch (Throwable e) {
          errors.listenerFailed("onRecordSkipped", e);
        }
      }
    }
  }
}
