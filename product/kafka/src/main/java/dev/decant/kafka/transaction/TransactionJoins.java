package dev.decant.kafka.transaction;

import dev.decant.kafka.KafkaException;
import dev.decant.kafka.cluster.CallQueue;
import dev.decant.kafka.cluster.RetriableCall;
import dev.decant.kafka.protocol.ApiKey;
import dev.decant.kafka.protocol.ErrorCode;
import dev.decant.kafka.protocol.ProtocolReader;
import dev.decant.kafka.protocol.ProtocolWriter;
import dev.decant.kafka.protocol.message.DescribeTransactionsRequest;
import dev.decant.kafka.protocol.message.DescribeTransactionsResponse;
import dev.decant.loop.EventLoop;
import dev.decant.loop.Timer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * When partitions may join a transaction by being written to, and groups by their offsets ({@code transaction.version}
 * 2, KIP-890).
 *
 * <p>A coordinator adds nothing while the transaction before is being ended, which it confirms before the markers are
 * written, nor while it adds what another broker asked for. The broker that asks then holds the request up for 20 ms
 * and asks again, so that leaders of several partitions, written to at once, wait for each other much longer than one
 * after another takes. So a request that adds something leaves when the one before it is answered, and the first one
 * when the coordinator says that the transaction before is over. That is asked only when somebody waits for it.
 *
 * <p>Each of these waits ends when the broker would no longer hold a request up. Owner of the loop only.
 */
public final class TransactionJoins {
  /** A broker's {@code add.partitions.to.txn.retry.backoff.max.ms}, as it is by default. */
  private static final long LONGEST_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(8);

  /** What is known of the transaction before. */
  private enum Former {
    OVER, ENDING, ASKED
  }

  private final String transactionalId;
  private final CallQueue coordinator;
  private final EventLoop loop;
  private final Runnable freed;
  private final Timer timer = new Timer(this::ask);
  private Former former = Former.OVER;
  private long formerUntilNanos;
  private long pauseNanos;
  /** The coordinator does not say: a right that is missing, perhaps. */
  private boolean refused;
  /** The request that adds something. */
  private @Nullable Object joining;
  private long joiningUntilNanos;

  /**
   * Not for any transaction yet.
   *
   * @param coordinator the calls to the transaction's coordinator
   * @param freed run when those that wait, other than agents of the loop, may have their turn
   */
  TransactionJoins(String transactionalId, CallQueue coordinator, EventLoop loop, Runnable freed) {
    this.transactionalId = transactionalId;
    this.coordinator = coordinator;
    this.loop = loop;
    this.freed = freed;
  }

  /** The coordinator has taken the end of a transaction, and is working on it. */
  void formerEnds() {
    former = refused ? Former.OVER : Former.ENDING;
  }

  /**
   * When a request may add what it is for, if not now; those that wait are told if they may earlier. A request that has
   * its turn may add several partitions.
   *
   * @param request for which it is asked
   * @param nowNanos the time
   * @return a time in monotonic nanoseconds
   */
  public long turnOf(Object request, long nowNanos) {
    if (former == Former.ENDING) {
      former = Former.ASKED;
      formerUntilNanos = nowNanos + LONGEST_WAIT_NANOS;
      pauseNanos = FIRST_PAUSE_NANOS;
      ask();
    }
    if (former == Former.ASKED && formerUntilNanos - nowNanos > 0) {
      return formerUntilNanos;
    }
    former = Former.OVER;
    return joining == null || joining.equals(request) ? nowNanos : joiningUntilNanos;
  }

  /**
   * A request that adds something is about to leave.
   *
   * @param request the request
   * @param nowNanos the time
   */
  public void joins(Object request, long nowNanos) {
    joining = request;
    joiningUntilNanos = nowNanos + LONGEST_WAIT_NANOS;
  }

  /**
   * A request has a response, or will have none.
   *
   * @param request the request
   */
  public void ended(Object request) {
    if (request.equals(joining)) {
      joining = null;
      turnsChanged();
    }
  }

  void close() {
    loop.cancel(timer);
  }

  private void ask() {
    coordinator.submit(new StateCall());
  }

  private void formerIsOver() {
    former = Former.OVER;
    turnsChanged();
  }

  private void turnsChanged() {
    loop.signal();
    freed.run();
  }

  private final class StateCall extends RetriableCall {
    private String state = "";

    StateCall() {
      super(ApiKey.DESCRIBE_TRANSACTIONS, 0, 0);
    }

    @Override
    protected boolean isWanted() {
      return former == Former.ASKED && formerUntilNanos - loop.nowNanos() > 0;
    }

    @Override
    public void write(ProtocolWriter out, short version) {
      new DescribeTransactionsRequest().transactionalIds(List.of(transactionalId)).write(out, version);
    }

    @Override
    protected ErrorCode read(ProtocolReader in, short version) {
      for (var response : DescribeTransactionsResponse.read(in, version).transactionStates()) {
        if (response.transactionalId().equals(transactionalId)) {
          state = response.transactionState();
          return ErrorCode.of(response.errorCode());
        }
      }
      return ErrorCode.TRANSACTIONAL_ID_NOT_FOUND;
    }

    @Override
    protected void done() {
      if (!state.startsWith("Prepare")) { // PrepareCommit, PrepareAbort
        formerIsOver();
      } else {
        loop.schedule(timer, loop.nowNanos() + pauseNanos);
        pauseNanos = Math.min(2 * pauseNanos, LONGEST_PAUSE_NANOS);
      }
    }

    /** Only an optimization is lost. */
    @Override
    protected void failed(KafkaException cause) {
      refused = true;
      formerIsOver();
    }

    @Override
    protected void dropped() {
      formerIsOver();
    }
  }
}
