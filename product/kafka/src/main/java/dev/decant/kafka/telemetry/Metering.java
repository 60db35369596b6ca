package dev.decant.kafka.telemetry;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Tells the client's meter, if there is one; what it throws is reported and goes no further. */
public final class Metering {
  private final ErrorFunnel errors;
  /** Set by any thread. */
  private volatile @Nullable ClientMeter meter;

  Metering(ErrorFunnel errors) {
    this.errors = errors;
  }

  /**
   * Sets who is told from now on.
   *
   * @param told null for nobody any more
   */
  public void meter(@Nullable ClientMeter told) {
    meter = told;
  }

  private void failed(String method, Throwable cause) {
    errors.listenerFailed(method, cause);
  }

  /**
   * See {@link ClientMeter#onRequest}.
   *
   * @param broker host and port
   * @param apiKey of the request
   * @param bytes of the request
   */
  public void request(String broker, short apiKey, long bytes) {
    ClientMeter told = meter;
    if (told != null) {
      try {
        told.onRequest(broker, apiKey, (int) bytes);
      } catch (Throwable e) {
        failed("onRequest", e);
      }
    }
  }

  /**
   * See {@link ClientMeter#onThrottle}.
   *
   * @param millis 0 for not at all
   */
  public void throttle(int millis) {
    ClientMeter told = meter;
    if (told != null) {
      try {
        told.onThrottle(millis);
      } catch (Throwable e) {
        failed("onThrottle", e);
      }
    }
  }

  /**
   * See {@link ClientMeter#onAuthenticated}.
   *
   * @param again whether it replaces another one
   * @param nanos since the attempt began
   */
  public void authenticated(boolean again, long nanos) {
    rarely("onAuthenticated", told -> told.onAuthenticated(again, nanos));
  }

  /**
   * See {@link ClientMeter#onEncrypted}.
   *
   * @param cipher suite
   * @param protocol of the connection
   */
  public void encrypted(String cipher, String protocol) {
    rarely("onEncrypted", told -> told.onEncrypted(cipher, protocol));
  }

  /**
   * See {@link ClientMeter#onEncryptedEnded}.
   *
   * @param cipher suite
   * @param protocol of the connection
   */
  public void encryptedEnded(String cipher, String protocol) {
    rarely("onEncryptedEnded", told -> told.onEncryptedEnded(cipher, protocol));
  }

  /**
   * See {@link ClientMeter#onAuthenticationFailed}.
   *
   * @param again whether it was to replace another one
   */
  public void authenticationFailed(boolean again) {
    rarely("onAuthenticationFailed", told -> told.onAuthenticationFailed(again));
  }

  /**
   * See {@link ClientMeter#onBatch}.
   *
   * @param topic the topic
   * @param records of the batch
   * @param bytes as it is sent
   * @param plainBytes before its compression
   */
  public void batch(String topic, int records, int bytes, int plainBytes) {
    ClientMeter told = meter;
    if (told != null) {
      try {
        told.onBatch(topic, records, bytes, plainBytes);
      } catch (Throwable e) {
        failed("onBatch", e);
      }
    }
  }

  /**
   * See {@link ClientMeter#onQueued}.
   *
   * @param nanos since its first record was appended
   */
  public void queued(long nanos) {
    ClientMeter told = meter;
    if (told != null) {
      try {
        told.onQueued(nanos);
      } catch (Throwable e) {
        failed("onQueued", e);
      }
    }
  }

  /** See {@link ClientMeter#onSplit}. */
  public void split() {
    rarely("onSplit", ClientMeter::onSplit);
  }

  /**
   * See {@link ClientMeter#onMemoryAwaited}.
   *
   * @param nanos for how long
   */
  public void memoryAwaited(long nanos) {
    ClientMeter told = meter;
    if (told != null) {
      try {
        told.onMemoryAwaited(nanos);
      } catch (Throwable e) {
        failed("onMemoryAwaited", e);
      }
    }
  }

  /** See {@link ClientMeter#onFetchConsumed}. */
  public void fetchConsumed() {
    ClientMeter told = meter;
    if (told != null) {
      try {
        told.onFetchConsumed();
      } catch (Throwable e) {
        failed("onFetchConsumed", e);
      }
    }
  }

  /**
   * See {@link ClientMeter#onDelivered}.
   *
   * @param topic the topic
   * @param partition the partition
   * @param lag to the end of the log
   * @param lead from its start
   * @param replica that is read from
   */
  public void delivered(String topic, int partition, long lag, long lead, int replica) {
    ClientMeter told = meter;
    if (told != null) {
      try {
        told.onDelivered(topic, partition, lag, lead, replica);
      } catch (Throwable e) {
        failed("onDelivered", e);
      }
    }
  }

  /**
   * See {@link ClientMeter#onJoined}.
   *
   * @param nanos since the request
   */
  public void joined(long nanos) {
    rarely("onJoined", told -> told.onJoined(nanos));
  }

  /**
   * See {@link ClientMeter#onSynced}.
   *
   * @param nanos since the request
   */
  public void synced(long nanos) {
    rarely("onSynced", told -> told.onSynced(nanos));
  }

  void rebalanced(long nanos) {
    rarely("onRebalanced", told -> told.onRebalanced(nanos));
  }

  void rebalanceFailed() {
    rarely("onRebalanceFailed", ClientMeter::onRebalanceFailed);
  }

  private void rarely(String method, Consumer<ClientMeter> telling) {
    ClientMeter told = meter;
    if (told != null) {
      try {
        telling.accept(told);
      } catch (Throwable e) {
        failed(method, e);
      }
    }
  }
}
