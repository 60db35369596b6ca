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
 * Decides when partitions may join a transaction by their first batch, and groups by their offsets ({@code
 * transaction.version} 2, KIP-890).
 *
 * <p>A coordinator adds nothing while the former transaction ends, which it confirms before the markers are written. It
 * adds nothing either while it handles another broker's request. A broker that asks meanwhile holds the batch for 20 ms
 * and asks again. Leaders that are written to at once wait much longer than leaders in turn (docs/decisions/0017).
 *
 * <p>A request that adds something therefore leaves after the response to the one before. The first one leaves when the
 * coordinator reports the end of the former transaction. The client requests that only while something waits for it.
 *
 * <p>Each of these waits ends when the broker would no longer hold a batch. Owner of the loop only.
 */
public final class TransactionJoins {
  /** The default of a broker's {@code add.partitions.to.txn.retry.backoff.max.ms}. */
  private static final long LONGEST_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(8);

  /** The state of the former transaction: ended, not known to have ended, or being requested from the coordinator. */
  private enum Former {
    OVER, ENDING, REQUESTED
  }

  private final String transactionalId;
  private final CallQueue coordinator;
  private final EventLoop loop;
  private final Runnable freed;
  private final Timer timer = new Timer(this::requestState);
  private Former former = Former.OVER;
  private long formerUntilNanos;
  private long pauseNanos;
  /** True once the coordinator has refused to describe the transaction, for instance for lack of the right. */
  private boolean refused;
  /** The request that is adding something; null if there is none. */
  private @Nullable Object joining;
  private long joiningUntilNanos;

  /**
   * Makes joins without a transaction.
   *
   * @param coordinator the calls to the transaction's coordinator
   * @param freed run when waiting requests may have their turn, except those of agents of the loop
   */
  TransactionJoins(String transactionalId, CallQueue coordinator, EventLoop loop, Runnable freed) {
    this.transactionalId = transactionalId;
    this.coordinator = coordinator;
    this.loop = loop;
    this.freed = freed;
  }

  /** Notes that the coordinator has taken the end of a transaction, and writes its markers. */
  void formerEnds() {
    former = refused ? Former.OVER : Former.ENDING;
  }

  /**
   * Returns the time at which a request may add its partitions or group. Waiting requests are woken if they may leave
   * earlier. A request that has its turn may add several partitions.
   *
   * @param request the request that is to leave
   * @param nowNanos the time
   * @return a time in monotonic nanoseconds
   */
  public long turnOf(Object request, long nowNanos) {
    if (former == Former.ENDING) {
      former = Former.REQUESTED;
      formerUntilNanos = nowNanos + LONGEST_WAIT_NANOS;
      pauseNanos = FIRST_PAUSE_NANOS;
      requestState();
    }
    if (former == Former.REQUESTED && formerUntilNanos - nowNanos > 0) {
      return formerUntilNanos;
    }
    former = Former.OVER;
    return joining == null || joining.equals(request) ? nowNanos : joiningUntilNanos;
  }

  /** Notes that a request that adds something is about to leave. */
  public void joins(Object request, long nowNanos) {
    joining = request;
    joiningUntilNanos = nowNanos + LONGEST_WAIT_NANOS;
  }

  /** Notes that a request has its response, or will have none. */
  public void ended(Object request) {
    if (request.equals(joining)) {
      joining = null;
      turnsChanged();
    }
  }

  void close() {
    loop.cancel(timer);
  }

  private void requestState() {
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
      return former == Former.REQUESTED && formerUntilNanos - loop.nowNanos() > 0;
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

    /** Continues without the state: only an optimization is lost. */
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
