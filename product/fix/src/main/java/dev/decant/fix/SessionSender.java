package dev.decant.fix;

import dev.decant.fix.session.OutboundMessages;
import dev.decant.fix.settings.BackPressure;
import dev.decant.fix.settings.SessionSettings;
import dev.decant.loop.EventLoop;
import dev.decant.time.Timeouts;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** How threads send the messages of a session: whether they may, whether there is room, and why not. Any thread. */
final class SessionSender {
  private final SessionRunner runner;
  private final EventLoop loop;
  private final SessionSettings settings;
  private final OutboundMessages out;
  private final SendSpace space;
  /** The store has refused messages of threads, and listeners have been told. */
  private final AtomicBoolean sendFails = new AtomicBoolean();

  SessionSender(SessionRunner runner, OutboundMessages out) {
    this.runner = runner;
    this.loop = runner.home().loop();
    this.settings = runner.settings();
    this.out = out;
    this.space = new SendSpace(loop);
  }

  /** Tells whether a message can be begun; waits for room if so set. */
  SendStatus admit(int bytes) {
    if (bytes < 0 || bytes > settings.maxMessageBytes()) {
      throw new IllegalArgumentException("a message of " + bytes + " bytes; maxMessageBytes is "
          + settings.maxMessageBytes());
    }
    if (!out.isTaken()) {
      return notTaken();
    }
    if (out.seemsToHaveRoom(bytes) || findRoom(bytes, deadline())) {
      return SendStatus.OK;
    }
    return refusal();
  }

  private SendStatus notTaken() {
    return out.isOutOfHours() ? SendStatus.CLOSED : SendStatus.LOGGED_OUT;
  }

  /** Why there was no room: a session may end while a sender waits. One that ends for want of room has none. */
  private SendStatus refusal() {
    return takesMessages() || settings.backPressure() == BackPressure.DISCONNECT
        ? SendStatus.BACK_PRESSURE
        : notTaken();
  }

  private long deadline() {
    return System.nanoTime() + Timeouts.nanos(settings.sendTimeout());
  }

  /** Does what is set for a full output; false if there is still no room. */
  private boolean findRoom(int bytes, long deadlineNanos) {
    if (loop.isOwner()) {
      runner.pump(); // who would make room is this thread
      if (out.seemsToHaveRoom(bytes)) {
        return true;
      }
    } else if (settings.backPressure() == BackPressure.WAIT) {
      return space.await(this, bytes, deadlineNanos);
    }
    if (settings.backPressure() == BackPressure.DISCONNECT) {
      loop.execute(() -> runner.abandon("the counterparty reads too slowly"));
    }
    return false;
  }

  /** Whether a sender that waits for room should go on waiting. */
  boolean takesMessages() {
    return out.isTaken();
  }

  boolean seemsToHaveRoom(int bytes) {
    return out.seemsToHaveRoom(bytes);
  }

  /**
   * Numbers and stores a message, and has it written.
   *
   * @return its number, or what {@link SendStatus#of} makes a status of
   */
  long send(int msgType, ByteBuffer memory, int from, int to) {
    long result = trySend(msgType, memory, from, to);
    if (result == OutboundMessages.NO_ROOM) {
      result = sendSlowPath(msgType, memory, from, to);
    }
    if (result > 0) {
      if (out.isOpen()) { // otherwise there is nothing for the socket
        runner.home().pendingSessions().offer(runner);
      }
      if (sendFails.getPlain()) {
        sendFails.set(false);
      }
    } else if (result == OutboundMessages.STORE_REFUSES && sendFails.compareAndSet(false, true)) {
      loop.execute(runner.protocol()::reportSendFailure);
    }
    return result;
  }

  private long trySend(int msgType, ByteBuffer memory, int from, int to) {
    long now = runner.home().nowNanos();
    return out.send(msgType, memory, from, to, now, runner.engine().epochNanos(now));
  }

  /** Other threads may take the room that comes free: tries as long as there is time. */
  private long sendSlowPath(int msgType, ByteBuffer memory, int from, int to) {
    long deadlineNanos = deadline();
    long result = OutboundMessages.NO_ROOM;
    while (result == OutboundMessages.NO_ROOM && findRoom(to - from, deadlineNanos)) {
      result = trySend(msgType, memory, from, to);
    }
    if (result != OutboundMessages.NO_ROOM) {
      return result;
    }
    return switch (refusal()) {
      case LOGGED_OUT -> OutboundMessages.SHUT;
      case CLOSED -> OutboundMessages.CLOSED;
      default -> result;
    };
  }

  /** Why the store refused the message of a thread last. */
  @Nullable
  IOException storeFailure() {
    return out.sendFailure();
  }

  /** There is room again: the owner of the loop. */
  void roomIsFree() {
    space.signal();
  }
}
