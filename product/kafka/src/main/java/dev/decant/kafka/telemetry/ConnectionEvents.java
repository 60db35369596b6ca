package dev.decant.kafka.telemetry;

import dev.decant.event.Event;
import dev.decant.event.Listeners;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.Statistic;
import dev.decant.kafka.event.ConnectionListener;
import dev.decant.kafka.event.ErrorKind;

/** Fired by the links to brokers. Owner of the loop only. */
public final class ConnectionEvents {
  final Listeners<ConnectionListener> listeners = new Listeners<>(ConnectionListener.class);
  private final Event<ConnectionListener> ready = listeners.event("onReady");
  private final Event<ConnectionListener> ended = listeners.event("onEnded");
  private final Event<ConnectionListener> closed = listeners.event("onClosed");
  private final Event<ConnectionListener> response = listeners.event("onResponse");
  private final Event<ConnectionListener> throttled = listeners.event("onThrottled");
  private final Counters counters;
  private final ErrorFunnel errors;
  private final Metering metering;

  ConnectionEvents(Counters counters, ErrorFunnel errors, Metering metering) {
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
   * A connection is ready.
   *
   * @param broker host and port
   * @param nanos since the attempt began
   */
  public void ready(String broker, long nanos) {
    counters.add(Statistic.CONNECTIONS_READY, 1);
    ConnectionListener[] told = ready.listeners();
    if (told != null) {
      for (ConnectionListener l : told) {
        try {
          l.onReady(broker, nanos);
        } catch (Throwable e) {
          errors.listenerFailed("onReady", e);
        }
      }
    }
  }

  /**
   * A connection or an attempt has ended, not by the application's wish.
   *
   * @param broker host and port
   * @param unanswered requests
   * @param cause why
   */
  public void ended(String broker, int unanswered, KafkaException cause) {
    counters.add(Statistic.CONNECTIONS_ENDED, 1);
    ConnectionListener[] told = ended.listeners();
    if (told != null) {
      for (ConnectionListener l : told) {
        try {
          l.onEnded(broker, unanswered, cause);
        } catch (Throwable e) {
          errors.listenerFailed("onEnded", e);
        }
      }
    }
    errors.report(ErrorKind.CONNECTION_ENDED, broker, cause);
  }

  /**
   * A connection that was ready was closed in good order.
   *
   * @param broker host and port
   * @param reason who has closed it, and why
   */
  public void closed(String broker, String reason) {
    counters.add(Statistic.CONNECTIONS_CLOSED, 1);
    ConnectionListener[] told = closed.listeners();
    if (told != null) {
      for (ConnectionListener l : told) {
        try {
          l.onClosed(broker, reason);
        } catch (Throwable e) {
          errors.listenerFailed("onClosed", e);
        }
      }
    }
  }

  /**
   * A broker wants no request for a while.
   *
   * @param broker host and port
   * @param millis how long
   */
  public void throttled(String broker, int millis) {
    counters.add(Statistic.THROTTLED_MILLIS, millis);
    ConnectionListener[] told = throttled.listeners();
    if (told != null) {
      for (ConnectionListener l : told) {
        try {
          l.onThrottled(broker, millis);
        } catch (Throwable e) {
          errors.listenerFailed("onThrottled", e);
        }
      }
    }
  }

  /**
   * A request was answered.
   *
   * @param broker host and port
   * @param apiKey of the request
   * @param bytes of the response
   * @param queuedNanos when the request was queued
   * @param nowNanos the round's time
   */
  public void response(String broker, short apiKey, int bytes, long queuedNanos, long nowNanos) {
    counters.add(Statistic.RESPONSES, 1);
    counters.add(Statistic.BYTES_RECEIVED, bytes);
    ConnectionListener[] told = response.listeners();
    if (told != null) {
      for (ConnectionListener l : told) {
        try {
          l.onResponse(broker, apiKey, bytes, nowNanos - queuedNanos);
        } catch (Throwable e) {
          errors.listenerFailed("onResponse", e);
        }
      }
    }
  }
}
