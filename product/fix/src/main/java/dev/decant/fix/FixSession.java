package dev.decant.fix;

import dev.decant.fix.dictionary.Dictionary;
import dev.decant.fix.event.LetThrough;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.session.HandWrittenMessage;
import dev.decant.fix.session.SessionText;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.status.SessionStatus;
import dev.decant.time.Timeouts;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A session of an engine, as the application sees it. Any thread, unless a method says otherwise.
 */
public final class FixSession {
  static final int DEFAULT_BODY_BYTES = 1_024;

  private final SessionRunner runner;

  FixSession(SessionRunner runner) {
    this.runner = runner;
  }

  /**
   * The two ends.
   *
   * @return the identity
   */
  public SessionId id() {
    return runner.id();
  }

  /**
   * Tells whether messages can be sent.
   *
   * @return true after logons both ways, until a logout or the end of the connection
   */
  public boolean isLoggedOn() {
    return runner.isLoggedOn();
  }

  /**
   * Tells whether the session has a connection, logged on or not. Sequence numbers that are set without a connection
   * are not reset by {@code resetOnDisconnect}.
   *
   * @return true from the counterparty's Logon (acceptor) or the connection's establishment (initiator) to its end
   */
  public boolean isConnected() {
    return runner.isConnected();
  }

  /**
   * Waits until the session is logged on. The calling thread drives the session's loop meanwhile, if nobody else
   * does.
   *
   * @param timeout how long
   * @return false if it is not logged on by then
   * @throws InterruptedException if the thread is interrupted
   */
  public boolean awaitLogon(Duration timeout) throws InterruptedException {
    return runner.engine().waitUntil(runner.home().progress(), runner::isLoggedOn, Timeouts.nanos(timeout));
  }

  /**
   * Makes a writer of messages for one thread, to be kept and used again.
   *
   * @return the writer
   */
  public OutboundMessage newMessage() {
    return new OutboundMessage(runner);
  }

  /**
   * Logs out, and lets an initiator connect no more until {@link #logon}. An acceptor's session can be logged on to
   * again by its counterparty.
   *
   * @param text Text(58) of the Logout(5); empty for none
   * @return why the connection has ended, once it has; at once without a connection. It fails with an
   *     IllegalStateException if the engine is closed before
   * @throws IllegalArgumentException if the text has the delimiter or a character of more than one byte, or is longer
   *     than half of {@link dev.decant.fix.settings.SessionSettings#maxMessageBytes()}
   */
  public CompletableFuture<String> logout(String text) {
    SessionText.require(text, runner.settings());
    return runner.logout(text);
  }

  /**
   * Has an initiator connect and log on, at once if it waits to do so. An acceptor's session waits for its
   * counterparty.
   *
   * @return a word on it, once the session is logged on; for an acceptor's session at once. It fails with an
   *     IOException that names the cause if the first attempt fails, or is logged out before; the initiator goes on to
   *     connect then. It fails with an IllegalStateException if the session is disabled, or the engine is closed before
   */
  public CompletableFuture<String> logon() {
    return runner.actions().logon();
  }

  /**
   * Disables the session: logs it out, lets an initiator connect no more, and refuses the counterparty's logons until
   * {@link #enable}. A restart of the process enables it.
   *
   * @param text Text(58) of the Logout(5); empty for none
   * @return why the connection has ended, once it has; at once without a connection. It fails with an
   *     IllegalStateException if the engine is closed before
   * @throws IllegalArgumentException as {@link #logout}
   */
  public CompletableFuture<String> disable(String text) {
    SessionText.require(text, runner.settings());
    return runner.actions().disable(text);
  }

  /**
   * Ends what {@link #disable} has begun, and logs on as {@link #logon} does.
   *
   * @return as {@link #logon}
   */
  public CompletableFuture<String> enable() {
    return runner.actions().enable();
  }

  /**
   * Sends messages again, as if the counterparty had sent a ResendRequest(2): with PossDupFlag(43), and gap fills for
   * what is not kept. Messages that are sent meanwhile follow.
   *
   * @param from the first number
   * @return the last number, when all are in the output. It fails with an IllegalArgumentException if no such message
   *     was sent, with an IllegalStateException if the session is not logged on or the engine is closed before, and
   *     with an IOException if the connection ends before
   * @throws IllegalArgumentException if the number is less than 1
   */
  public CompletableFuture<Long> resend(long from) {
    SessionRunner.requireNumber(from);
    return runner.actions().resend(from);
  }

  /**
   * Sends a message that a person has written: {@code 35=D|11=ORDER-1|55=DECANT}. Fields that the session sets, such as
   * CompIDs, MsgSeqNum and CheckSum, are left out and set anew. A message copied from a log is therefore sent as a new
   * one. If the session has a dictionary, it checks the message first.
   *
   * @param fields {@code tag=value}, separated by {@code |}, or by SOH if there is one
   * @return its MsgSeqNum(34). It fails with an IllegalStateException if the session does not accept it, see
   *     {@link SendStatus}, or if the engine is closed before
   * @throws IllegalArgumentException if it is no application message that can be sent: one line says why
   */
  public CompletableFuture<Long> send(String fields) {
    return runner.actions().send(HandWrittenMessage.parse(fields, runner.protocol().validity().messageSettings()));
  }

  /**
   * Sends a TestRequest(1) now.
   *
   * @return the time until its Heartbeat(0) has come. It fails with an IllegalStateException if the session is not
   *     logged on or the engine is closed before, and with an IOException if the connection ends before
   */
  public CompletableFuture<Duration> testRequest() {
    return runner.actions().testRequest();
  }

  /**
   * Reads how the session stands. It does not wait for the loop, and costs the session nothing.
   *
   * @return the status of now
   */
  public SessionStatus status() {
    return StatusReader.read(runner);
  }

  /**
   * Begins with sequence number 1 both ways: at once while there is no connection; otherwise after a logout. The
   * counterparty must do the same. Logons of an initiator have ResetSeqNumFlag(141) then, until the counterparty has
   * accepted one. An acceptor has the flag in its response to a Logon(A) with another number than 1; the session is
   * logged on when something has come under number 1. Messages are refused until then.
   *
   * @return a sentence on what the counterparty has to do, when the store begins with 1. It fails with the store's
   *     IOException if that takes nothing, and with an IllegalStateException if the engine is closed before
   */
  public CompletableFuture<String> resetSequenceNumbers() {
    return runner.actions().reset();
  }

  /**
   * Begins with sequence number 1 both ways without a logout, as sessions of 24 hours do (FIX session layer, "Using
   * ResetSeqNumFlag(141) to set sequence numbers to 1"). A TestRequest(1) makes sure that nothing is missing; a
   * Logon(A) with the flag follows its response. Until the counterparty has followed, messages are refused as
   * {@link SendStatus#LOGGED_OUT}, so that none is lost with its number if the connection ends meanwhile.
   *
   * @return a sentence, when the counterparty has reset its numbers, too. It fails with an IllegalStateException if the
   *     session is not logged on, or the engine is closed before. It fails with an IOException if the counterparty does
   *     not follow within {@link dev.decant.fix.settings.SessionSettings#logonTimeout}, or the connection ends before
   */
  public CompletableFuture<String> resetWithoutLogout() {
    return runner.actions().resetWithoutLogout();
  }

  /**
   * Tells whether the session's schedule has it open now, with the numbers of the trading session.
   *
   * @return true if it may log on
   */
  public boolean isSessionTime() {
    return runner.hours().isOpen();
  }

  /**
   * The present trading session by the schedule: the time in which sequence numbers count up.
   *
   * @return when it began, which identifies it; empty for a schedule that resets nothing
   */
  public Optional<Instant> tradingSession() {
    return runner.settings().schedule().tradingSession(runner.hours().now());
  }

  /**
   * When the numbers of the store began with 1. If that was before {@link #tradingSession}, they begin anew when the
   * session is opened, or at the next reset of the schedule.
   *
   * @return the time
   */
  public Instant storeCreated() {
    return runner.storeCreated();
  }

  /**
   * The number of the next message to be sent.
   *
   * @return at least 1; other threads may have sent by the time that it is looked at
   */
  public long nextOutbound() {
    return runner.nextOutbound();
  }

  /**
   * The number of the next message expected.
   *
   * @return at least 1; a moment old on a thread that does not own the loop
   */
  public long nextInbound() {
    return runner.nextInbound();
  }

  /**
   * Sets the number of the next message to be sent, as an operator may have to after a disaster. It takes effect soon,
   * on the owner of the loop.
   *
   * @param number at least 1
   * @return the number, when the store has taken it. It fails with the store's IOException if that takes nothing, and
   *     with an IllegalStateException if the engine is closed before
   */
  public CompletableFuture<Long> setNextOutbound(long number) {
    return runner.setNextOutbound(number);
  }

  /**
   * Sets the number of the next message expected. It takes effect soon, on the owner of the loop.
   *
   * @param number at least 1
   * @return the number, when the store has taken it. It fails with the store's IOException if that takes nothing, and
   *     with an IllegalStateException if the engine is closed before
   */
  public CompletableFuture<Long> setNextInbound(long number) {
    return runner.setNextInbound(number);
  }

  /**
   * Validates by another dictionary, from the next message on. Data fields of received, sent and resent messages are
   * those of the new dictionary, too; {@code SessionSettings.dataFields} stays as it was. An engine closed and started
   * again has the dictionaries of its settings.
   *
   * @param value of the version of the present one: the dictionary of the session, that of FIXT.1.1 for its messages of
   *     the session layer
   * @return the dictionary, when it counts. It fails with an IllegalArgumentException if it cannot be used: the present
   *     one stays. It fails with an IllegalStateException if the engine is closed before
   */
  public CompletableFuture<Dictionary> dictionary(Dictionary value) {
    return runner.dictionary("", value);
  }

  /**
   * As {@link #dictionary}, for the dictionary of an application's version in a FIXT.1.1 session.
   *
   * @param applVerId a value of ApplVerID(1128) that has a dictionary now
   * @param value of the version of the present one
   * @return as {@link #dictionary}
   */
  public CompletableFuture<Dictionary> applicationDictionary(String applVerId, Dictionary value) {
    return runner.dictionary(applVerId, value);
  }

  /**
   * What the session has let through although it breaks a rule, because settings allow that.
   *
   * @return counts that go on
   */
  public LetThrough letThrough() {
    return runner.letThrough();
  }

  /**
   * Why the store refused a message that was sent last: {@link SendStatus#STORE_FAILED}.
   *
   * @return null if it never has
   */
  public @Nullable IOException storeFailure() {
    return runner.sender().storeFailure();
  }

  /**
   * Rejects the message being handled by Reject(3). Within {@link Application#onMessage} only.
   *
   * @param message the message
   * @param reason a value of SessionRejectReason(373), see {@link dev.decant.fix.message.RejectReason}
   * @param tag the field at fault, RefTagID(371)
   * @param text Text(58); null for the specification's
   */
  public void reject(MessageView message, int reason, int tag, @Nullable String text) {
    runner.reject(message, reason, tag, text);
  }

  /**
   * Rejects the message being handled by BusinessMessageReject(j), or by Reject(3) before FIX.4.2. Within
   * {@link Application#onMessage} only.
   *
   * @param message the message
   * @param reason a value of BusinessRejectReason(380), see {@link dev.decant.fix.message.RejectReason}
   * @param text Text(58); null for the specification's
   */
  public void rejectBusiness(MessageView message, int reason, @Nullable String text) {
    runner.rejectBusiness(message, reason, text);
  }

  @Override
  public String toString() {
    return runner.id().toString();
  }
}
