package dev.decant.fix;

import dev.decant.fix.dictionary.Dictionary;
import dev.decant.fix.event.ToleratedCounts;
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

/** A session of an engine, as the application uses it. Any thread, unless a method says otherwise. */
public final class FixSession {
  private final SessionRunner runner;

  FixSession(SessionRunner runner) {
    this.runner = runner;
  }

  /**
   * Returns the identity of the session.
   *
   * @return the identity, whose sender is this end
   */
  public SessionId id() {
    return runner.id();
  }

  /**
   * Returns true if messages can be sent.
   *
   * @return true from the exchange of Logons until a logout or the end of the connection
   */
  public boolean isLoggedOn() {
    return runner.isLoggedOn();
  }

  /**
   * Returns true if the session has a connection, logged on or not. {@code resetOnDisconnect} does not affect numbers
   * that are set without a connection.
   *
   * @return true from the counterparty's Logon (acceptor) or the connection's establishment (initiator) to its end
   */
  public boolean isConnected() {
    return runner.isConnected();
  }

  /**
   * Waits until the session is logged on. The calling thread drives the session's loop meanwhile, if no other thread
   * does.
   *
   * @param timeout the longest wait
   * @return false if the session is not logged on in time
   * @throws InterruptedException if the thread is interrupted
   */
  public boolean awaitLogon(Duration timeout) throws InterruptedException {
    return runner.parts().loops().waitUntil(runner.home().progress(), runner::isLoggedOn, Timeouts.nanos(timeout));
  }

  /**
   * Creates a writer of messages for one thread, which keeps and reuses it.
   *
   * @return the writer
   */
  public OutboundMessage newMessage() {
    return new OutboundMessage(runner.sender(), runner.settings().maxMessageBytes());
  }

  /**
   * Logs out, and keeps an initiator from connecting until {@link #logon}. The counterparty of an acceptor's session
   * may log on again.
   *
   * @param text Text(58) of the Logout(5); empty for none
   * @return completes with the reason when the connection has ended; at once if there is none. It fails with an
   *     IllegalStateException if the engine is closed before
   * @throws IllegalArgumentException if the text has the delimiter or a character of more than one byte, or is longer
   *     than half of {@link dev.decant.fix.settings.SessionSettings#maxMessageBytes()}
   */
  public CompletableFuture<String> logout(String text) {
    SessionText.require(text, runner.settings());
    return runner.logout(text);
  }

  /**
   * Makes an initiator connect and log on, at once even if it waits for its next attempt. An acceptor's session waits
   * for its counterparty.
   *
   * @return completes with a sentence when the session is logged on; for an acceptor's session at once. It fails with
   *     an IOException that names the cause if the first attempt fails, or a logout comes before; the initiator
   *     continues to connect then. It fails with an IllegalStateException if the session is disabled, or the engine is
   *     closed before
   */
  public CompletableFuture<String> logon() {
    return runner.actions().logon();
  }

  /**
   * Disables the session until {@link #enable}: logs it out, keeps an initiator from connecting, and refuses logons of
   * the counterparty. A restart of the process enables it.
   *
   * @param text Text(58) of the Logout(5); empty for none
   * @return completes with the reason when the connection has ended; at once if there is none. It fails with an
   *     IllegalStateException if the engine is closed before
   * @throws IllegalArgumentException as {@link #logout}
   */
  public CompletableFuture<String> disable(String text) {
    SessionText.require(text, runner.settings());
    return runner.actions().disable(text);
  }

  /**
   * Enables the session after {@link #disable}, and logs on as {@link #logon} does.
   *
   * @return as {@link #logon}
   */
  public CompletableFuture<String> enable() {
    return runner.actions().enable();
  }

  /**
   * Resends messages, as if the counterparty had sent a ResendRequest(2): with PossDupFlag(43), and gap fills for
   * messages that are not stored. Messages that are sent meanwhile follow.
   *
   * @param from the first number
   * @return completes with the last number when all are in the output. It fails with an IllegalArgumentException if
   *     that number was not sent, and with an IOException if the connection ends before. It fails with an
   *     IllegalStateException if the session is not logged on or the engine is closed before
   * @throws IllegalArgumentException if the number is less than 1
   */
  public CompletableFuture<Long> resend(long from) {
    SessionRunner.requireNumber(from);
    return runner.actions().resend(from);
  }

  /**
   * Sends a message that an operator has written: {@code 35=D|11=ORDER-1|55=DECANT}. Fields that the session sets, such
   * as CompIDs, MsgSeqNum and CheckSum, are replaced. A message copied from a log is therefore sent as a new one. If
   * the session has a dictionary, it checks the message first.
   *
   * @param fields {@code tag=value}, separated by {@code |}, or by SOH if there is one
   * @return completes with its MsgSeqNum(34). It fails with an IllegalStateException if the session does not accept it,
   *     see {@link SendStatus}, or if the engine is closed before
   * @throws IllegalArgumentException if it is no application message that can be sent: one line says why
   */
  public CompletableFuture<Long> send(String fields) {
    return runner.actions().send(HandWrittenMessage.parse(fields, runner.protocol().validity().messageSettings()));
  }

  /**
   * Sends a TestRequest(1) now.
   *
   * @return completes with the time until its Heartbeat(0) arrived. It fails with an IllegalStateException if the
   *     session is not logged on or the engine is closed before. It fails with an IOException if the connection ends
   *     before
   */
  public CompletableFuture<Duration> testRequest() {
    return runner.actions().testRequest();
  }

  /**
   * Reads the status of the session. It does not wait for the loop, and does not delay the session.
   *
   * @return the present status
   */
  public SessionStatus status() {
    return StatusReader.read(runner);
  }

  /**
   * Resets both sequence numbers to 1: at once if there is no connection, otherwise after a logout. The counterparty
   * must reset them, too. Until it has done so, {@link OutboundMessage#send} refuses messages. An initiator sends
   * ResetSeqNumFlag(141) in each Logon until the counterparty accepts one. An acceptor sends the flag in its response
   * to a Logon(A) with another number than 1. The session is then logged on when a message with number 1 arrives.
   *
   * @return completes with a sentence on what the counterparty has to do, when the store begins with 1. It fails with
   *     the store's IOException if the store refuses that, and with an IllegalStateException if the engine is closed
   *     before
   */
  public CompletableFuture<String> resetSequenceNumbers() {
    return runner.actions().reset();
  }

  /**
   * Resets both sequence numbers to 1 without a logout, as sessions of 24 hours do (FIX session layer, "Using
   * ResetSeqNumFlag(141) to set sequence numbers to 1"). A TestRequest(1) makes sure that no message is missing. A
   * Logon(A) with the flag follows its response. Until the counterparty has followed, messages are refused as
   * {@link SendStatus#LOGGED_OUT}, so that none is lost with its number if the connection ends meanwhile.
   *
   * @return completes with a sentence when the counterparty has reset its numbers, too. It fails with an
   *     IllegalStateException if the session is not logged on, or the engine is closed before. It fails with an
   *     IOException if the counterparty does not follow within
   *     {@link dev.decant.fix.settings.SessionSettings#logonTimeout}, or the connection ends before
   */
  public CompletableFuture<String> resetWithoutLogout() {
    return runner.actions().resetWithoutLogout();
  }

  /**
   * Returns true if the schedule keeps the session open now, with the numbers of the trading session.
   *
   * @return true if it may log on
   */
  public boolean isSessionTime() {
    return runner.hours().isOpen();
  }

  /**
   * Returns the present trading session of the schedule, in which sequence numbers count up.
   *
   * @return when it began, which identifies it; empty for a schedule that resets nothing
   */
  public Optional<Instant> tradingSession() {
    return runner.settings().schedule().tradingSession(runner.hours().now());
  }

  /**
   * Returns when the numbers of the store began with 1. If that was before {@link #tradingSession}, they are reset when
   * the session is opened, or at the next reset of the schedule.
   *
   * @return the time
   */
  public Instant storeCreated() {
    return runner.storeCreated();
  }

  /**
   * Returns the number of the next message to be sent.
   *
   * @return at least 1; other threads may send before the caller uses it
   */
  public long nextOutbound() {
    return runner.nextOutbound();
  }

  /**
   * Returns the number of the next message expected.
   *
   * @return at least 1; a moment old on a thread that does not own the loop
   */
  public long nextInbound() {
    return runner.nextInbound();
  }

  /**
   * Sets the number of the next message to be sent, as an operator may have to after a disaster. The owner of the loop
   * does so soon after this call. Messages that wait for a logon are discarded if their numbers are used again, see
   * {@link dev.decant.fix.event.SessionListener#onMessagesDiscarded}.
   *
   * @param number at least 1
   * @return completes with the number when the store has it. It fails with the store's IOException if the store refuses
   *     it, and with an IllegalStateException if the engine is closed before
   */
  public CompletableFuture<Long> setNextOutbound(long number) {
    return runner.setNextOutbound(number);
  }

  /**
   * Sets the number of the next message expected. The owner of the loop does so soon after this call.
   *
   * @param number at least 1
   * @return completes with the number when the store has it. It fails with the store's IOException if the store refuses
   *     it, and with an IllegalStateException if the engine is closed before
   */
  public CompletableFuture<Long> setNextInbound(long number) {
    return runner.setNextInbound(number);
  }

  /**
   * Replaces the dictionary of the session, from the next message on. Its data fields apply to received, sent and
   * resent messages, too; {@code SessionSettings.dataFields} stays as it was. An engine that is closed and started
   * again has the dictionaries of its settings.
   *
   * @param value a dictionary of the same version as the present one; for FIXT.1.1, the one of the session messages
   * @return completes with the dictionary when it is in use. It fails with an IllegalArgumentException if it cannot be
   *     used: the present one stays. It fails with an IllegalStateException if the engine is closed before
   */
  public CompletableFuture<Dictionary> dictionary(Dictionary value) {
    return runner.dictionary("", value);
  }

  /**
   * Replaces, as {@link #dictionary} does, the dictionary of an application version in a FIXT.1.1 session.
   *
   * @param applVerId a value of ApplVerID(1128) that has a dictionary now
   * @param value a dictionary of the same version as the present one
   * @return as {@link #dictionary}
   */
  public CompletableFuture<Dictionary> applicationDictionary(String applVerId, Dictionary value) {
    return runner.dictionary(applVerId, value);
  }

  /**
   * Returns what the session has accepted although it breaks a rule, because settings relax that rule.
   *
   * @return live counts
   */
  public ToleratedCounts tolerated() {
    return runner.tolerated();
  }

  /**
   * Returns why the store refused a message of a thread last, see {@link SendStatus#STORE_FAILED}.
   *
   * @return null if it never has
   */
  public @Nullable IOException storeFailure() {
    return runner.sender().storeFailure();
  }

  /**
   * Rejects the message being handled by Reject(3). Call it within {@link Application#onMessage} only.
   *
   * @param message the message
   * @param reason a value of SessionRejectReason(373), see {@link dev.decant.fix.message.RejectReason}
   * @param tag RefTagID(371), the field at fault
   * @param text Text(58); null for the text of the specification
   */
  public void reject(MessageView message, int reason, int tag, @Nullable String text) {
    runner.reject(message, reason, tag, text);
  }

  /**
   * Rejects the message being handled by BusinessMessageReject(j), or by Reject(3) before FIX.4.2. Call it within
   * {@link Application#onMessage} only.
   *
   * @param message the message
   * @param reason a value of BusinessRejectReason(380), see {@link dev.decant.fix.message.RejectReason}
   * @param text Text(58); null for the text of the specification
   */
  public void rejectBusiness(MessageView message, int reason, @Nullable String text) {
    runner.rejectBusiness(message, reason, text);
  }

  @Override
  public String toString() {
    return runner.id().toString();
  }
}
