package dev.decant.fix;

import dev.decant.fix.session.HandWrittenMessage;
import dev.decant.fix.session.ResetExchange;
import dev.decant.fix.session.SessionOperator;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Actions of operators on one session that end with something that comes later: a logon, a response, the end of a
 * replay. Each outcome is completed once. Methods are the owner's, unless they say "any thread".
 */
final class SessionActions {
  /** A logon that is wanted. */
  private static final class WantedLogon {
    private final CompletableFuture<String> outcome;
    /** Whether the end of the present connection comes first, as a logout is under way. */
    private boolean waitsForEnd;

    WantedLogon(CompletableFuture<String> outcome, boolean waitsForEnd) {
      this.outcome = outcome;
      this.waitsForEnd = waitsForEnd;
    }
  }

  /** A replay: up to this number. */
  private record Replay(long last, CompletableFuture<Long> outcome) {}

  private final SessionRunner runner;
  private final List<WantedLogon> logons = new ArrayList<>();
  private final List<Replay> replays = new ArrayList<>();
  /** Resets that wait for a logout. */
  private final List<CompletableFuture<String>> resets = new ArrayList<>();
  /** Outcomes that came while a message was handled: told when its number is published, too. */
  private final List<Runnable> outcomes = new ArrayList<>();
  /** Set by the owner, read by any thread. */
  private volatile boolean disabled;

  SessionActions(SessionRunner runner) {
    this.runner = runner;
  }

  /** Whether an operator has disabled the session. Any thread. */
  boolean isDisabled() {
    return disabled;
  }

  /** Any thread. */
  CompletableFuture<String> logon() {
    return runner.engine().operatorActions().execute(runner.home().loop(), this::logon);
  }

  private void logon(CompletableFuture<String> outcome) {
    if (disabled) {
      outcome.completeExceptionally(new IllegalStateException(runner.id() + " is disabled; enable it first"));
      return;
    }
    boolean isConnected = runner.isConnected();
    boolean isLoggedOn = runner.isLoggedOn();
    if (!runner.beginLogon()) {
      outcome.complete(isLoggedOn ? "logged on" : "waits for the counterparty, which connects");
    } else if (isLoggedOn) {
      outcome.complete("logged on");
    } else {
      logons.add(new WantedLogon(outcome, isConnected));
    }
  }

  /** Any thread. */
  CompletableFuture<String> disable(String text) {
    return runner.engine().operatorActions().execute(runner.home().loop(), outcome -> {
      disabled = true;
      runner.engine().notice(runner.home(), runner.id(), "disabled by an operator");
      runner.logout(text, outcome);
    });
  }

  /** Any thread. */
  CompletableFuture<String> enable() {
    return runner.engine().operatorActions().execute(runner.home().loop(), outcome -> {
      if (disabled) {
        disabled = false;
        runner.engine().notice(runner.home(), runner.id(), "enabled by an operator");
      }
      logon(outcome);
    });
  }

  /** Any thread. */
  CompletableFuture<String> reset() {
    return runner.engine().operatorActions().execute(runner.home().loop(), outcome -> {
      runner.touchTime();
      resets.add(outcome);
      if (runner.protocol().isConnected()) {
        runner.protocol().resets().logoutAndReset();
      } else {
        boolean unused = runner.protocol().resets().resetNow(true); // numbersReset hears of it
      }
      runner.pump();
    });
  }

  /** Both numbers have become 1, or the store has refused that. */
  void numbersReset(boolean isDone) {
    if (resets.isEmpty()) {
      return;
    }
    runner.publishNumber(); // first: the outcome wakes threads that read it
    List<CompletableFuture<String>> ended = List.copyOf(resets);
    resets.clear();
    for (CompletableFuture<String> outcome : ended) {
      if (isDone) {
        outcome.complete(resetOutcome());
      } else {
        outcome.completeExceptionally(runner.storeFailure());
      }
    }
  }

  private String resetOutcome() {
    String done = "sequence numbers begin with 1 at this end, and the counterparty must reset its own, too: ";
    if (!ResetExchange.hasResetFlag(runner.id())) {
      return done + "FIX.4.0 has no ResetSeqNumFlag, so agree on it";
    }
    return runner.isInitiator()
        ? done + "the next Logon asks for it by ResetSeqNumFlag(141)=Y"
        : done + "if its next Logon has another MsgSeqNum than 1, the response asks for it by ResetSeqNumFlag(141)=Y";
  }

  /** Any thread. */
  CompletableFuture<String> resetWithoutLogout() {
    return runner.engine().operatorActions().execute(runner.home().loop(), outcome -> {
      if (!runner.isLoggedOn()) {
        outcome.completeExceptionally(notLoggedOn());
        return;
      }
      runner.touchTime();
      runner.protocol().resets().resetWithoutLogout(failure -> outcomes.add(() -> {
        if (failure == null) {
          outcome.complete("sequence numbers begin with 1 at both ends");
        } else {
          outcome.completeExceptionally(new IOException(failure));
        }
      }));
      runner.pump();
    });
  }

  /** Any thread. */
  CompletableFuture<Duration> testRequest() {
    return runner.engine().operatorActions().execute(runner.home().loop(), outcome -> {
      runner.touchTime(); // the round trip would count from the last thing that the loop has done
      boolean isSent = runner.protocol().operator().testRequest(nanos -> answered(outcome, nanos));
      if (!isSent) {
        outcome.completeExceptionally(notLoggedOn());
      }
      runner.pump();
    });
  }

  private void answered(CompletableFuture<Duration> outcome, long nanos) {
    outcomes.add(() -> {
      if (nanos == SessionOperator.NO_ANSWER) {
        outcome.completeExceptionally(new IOException("the connection ended before a Heartbeat came"));
      } else {
        outcome.complete(Duration.ofNanos(nanos));
      }
    });
  }

  /** Any thread. */
  CompletableFuture<Long> resend(long from) {
    return runner.engine().operatorActions().execute(runner.home().loop(), outcome -> {
      if (!runner.isLoggedOn()) {
        outcome.completeExceptionally(notLoggedOn());
        return;
      }
      runner.touchTime();
      long last = runner.protocol().operator().resend(from);
      if (last == 0) {
        outcome
            .completeExceptionally(new IllegalArgumentException("no message " + from + " was sent: the next number is "
                + runner.nextOutbound()));
      } else {
        replays.add(new Replay(last, outcome));
        runner.pump();
      }
    });
  }

  /** Any thread. */
  CompletableFuture<Long> send(HandWrittenMessage message) {
    return runner.engine().operatorActions().execute(runner.home().loop(), outcome -> {
      long number = runner.sender().send(message.msgType(), message.body(), 0, message.body().limit());
      if (number > 0) {
        outcome.complete(number);
      } else {
        outcome.completeExceptionally(new IllegalStateException("not accepted: " + SendStatus.of(number)));
      }
      runner.pump();
    });
  }

  private IllegalStateException notLoggedOn() {
    return new IllegalStateException(runner.id() + " is not logged on");
  }

  /** The session is logged on. */
  void loggedOn() {
    List<WantedLogon> ended = List.copyOf(logons);
    logons.clear();
    ended.forEach(logon -> outcomes.add(() -> logon.outcome.complete("logged on")));
  }

  /** A connection, or an attempt to make one, has ended, and the state is published. */
  void ended(String reason) {
    tell();
    List<Replay> unfinished = List.copyOf(replays);
    replays.clear();
    unfinished.forEach(replay -> replay.outcome
        .completeExceptionally(new IOException("the connection ended before all was sent again: " + reason)));
    List<WantedLogon> failed = new ArrayList<>();
    for (WantedLogon logon : logons) {
      if (logon.waitsForEnd) {
        logon.waitsForEnd = false;
      } else {
        failed.add(logon);
      }
    }
    logons.removeAll(failed);
    failed.forEach(logon -> logon.outcome.completeExceptionally(new IOException("not logged on: " + reason)));
  }

  /** No logon is wanted any more. */
  void logoutWanted() {
    List<WantedLogon> failed = List.copyOf(logons);
    logons.clear();
    failed.forEach(logon -> logon.outcome.completeExceptionally(new IOException("not logged on: logged out")));
  }

  private void tell() {
    if (!outcomes.isEmpty()) {
      List<Runnable> told = List.copyOf(outcomes);
      outcomes.clear();
      told.forEach(Runnable::run);
    }
  }

  /** Output was written, and the state is published: a replay may be over. */
  void written() {
    tell();
    if (!replays.isEmpty() && !runner.protocol().operator().isResending()) {
      List<Replay> done = List.copyOf(replays);
      replays.clear();
      done.forEach(replay -> replay.outcome.complete(replay.last));
    }
  }
}
