package dev.decant.kafka.telemetry;

import dev.decant.event.Event;
import dev.decant.event.Listeners;
import dev.decant.kafka.KafkaException;
import dev.decant.kafka.event.ErrorKind;
import dev.decant.kafka.event.TransactionListener;

/** Fired by transactions. Any thread. */
public final class TransactionEvents {
  final Listeners<TransactionListener> listeners = new Listeners<>(TransactionListener.class);
  private final Event<TransactionListener> began = listeners.event("onBegan");
  private final Event<TransactionListener> committed = listeners.event("onCommitted");
  private final Event<TransactionListener> aborted = listeners.event("onAborted");
  private final Event<TransactionListener> failed = listeners.event("onFailed");
  private final Event<TransactionListener> fenced = listeners.event("onFenced");
  private final ErrorFunnel errors;

  TransactionEvents(ErrorFunnel errors) {
    this.errors = errors;
  }

  /**
   * A transaction begins.
   *
   * @param transactionalId whose
   */
  public void began(String transactionalId) {
    TransactionListener[] told = began.listeners();
    if (told != null) {
      for (TransactionListener l : told) {
        try {
          l.onBegan(transactionalId);
        } catch (Throwable e) {
          errors.listenerFailed("onBegan", e);
        }
      }
    }
  }

  /**
   * A transaction is committed.
   *
   * @param transactionalId whose
   * @param nanos since it began
   * @param commitNanos since the call of commit
   */
  public void committed(String transactionalId, long nanos, long commitNanos) {
    TransactionListener[] told = committed.listeners();
    if (told != null) {
      for (TransactionListener l : told) {
        try {
          l.onCommitted(transactionalId, nanos, commitNanos);
        } catch (Throwable e) {
          errors.listenerFailed("onCommitted", e);
        }
      }
    }
  }

  /**
   * A transaction is aborted.
   *
   * @param transactionalId whose
   * @param nanos since it began
   * @param abortNanos since the call of abort
   */
  public void aborted(String transactionalId, long nanos, long abortNanos) {
    TransactionListener[] told = aborted.listeners();
    if (told != null) {
      for (TransactionListener l : told) {
        try {
          l.onAborted(transactionalId, nanos, abortNanos);
        } catch (Throwable e) {
          errors.listenerFailed("onAborted", e);
        }
      }
    }
  }

  /**
   * A transaction failed and has to be aborted.
   *
   * @param transactionalId whose
   * @param cause why
   */
  public void failed(String transactionalId, KafkaException cause) {
    TransactionListener[] told = failed.listeners();
    if (told != null) {
      for (TransactionListener l : told) {
        try {
          l.onFailed(transactionalId, cause);
        } catch (Throwable e) {
          errors.listenerFailed("onFailed", e);
        }
      }
    }
    errors.report(ErrorKind.TRANSACTION_FAILED, transactionalId, cause);
  }

  /**
   * A transactional id cannot be used any more.
   *
   * @param transactionalId which
   * @param cause why
   */
  public void fenced(String transactionalId, KafkaException cause) {
    TransactionListener[] told = fenced.listeners();
    if (told != null) {
      for (TransactionListener l : told) {
        try {
          l.onFenced(transactionalId, cause);
        } catch (Throwable e) {
          errors.listenerFailed("onFenced", e);
        }
      }
    }
    errors.report(ErrorKind.TRANSACTION_FENCED, transactionalId, cause);
  }

  /**
   * A request to a coordinator is repeated.
   *
   * @param where transactional id or group
   * @param cause why
   */
  public void retried(String where, KafkaException cause) {
    errors.report(ErrorKind.TRANSACTION_RETRIED, where, cause);
  }
}
