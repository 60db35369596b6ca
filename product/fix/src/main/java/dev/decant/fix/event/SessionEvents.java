package dev.decant.fix.event;

import dev.decant.event.Event;
import dev.decant.event.Listeners;
import dev.decant.event.Registration;

/** The events of an engine's sessions. Any thread adds and removes listeners; the engine fires the events. */
public final class SessionEvents {
  private final Listeners<SessionListener> domain = new Listeners<>(SessionListener.class);
  /** See {@link SessionListener#onOpened}. */
  public final Event<SessionListener> opened = domain.event("onOpened");
  /** See {@link SessionListener#onForgotten}. */
  public final Event<SessionListener> forgotten = domain.event("onForgotten");
  /** See {@link SessionListener#onLogon}. */
  public final Event<SessionListener> logon = domain.event("onLogon");
  /** See {@link SessionListener#onLogonFailed}. */
  public final Event<SessionListener> logonFailed = domain.event("onLogonFailed");
  /** See {@link SessionListener#onDisconnect}. */
  public final Event<SessionListener> disconnect = domain.event("onDisconnect");
  /** See {@link SessionListener#onGarbled}. */
  public final Event<SessionListener> garbled = domain.event("onGarbled");
  /** See {@link SessionListener#onGap}. */
  public final Event<SessionListener> gap = domain.event("onGap");
  /** See {@link SessionListener#onResendRequestSent}. */
  public final Event<SessionListener> resendRequestSent = domain.event("onResendRequestSent");
  /** See {@link SessionListener#onResendRequestReceived}. */
  public final Event<SessionListener> resendRequestReceived = domain.event("onResendRequestReceived");
  /** See {@link SessionListener#onRejectSent}. */
  public final Event<SessionListener> rejectSent = domain.event("onRejectSent");
  /** See {@link SessionListener#onRejectReceived}. */
  public final Event<SessionListener> rejectReceived = domain.event("onRejectReceived");
  /** See {@link SessionListener#onHeartbeatMissed}. */
  public final Event<SessionListener> heartbeatMissed = domain.event("onHeartbeatMissed");
  /** See {@link SessionListener#onReset}. */
  public final Event<SessionListener> reset = domain.event("onReset");
  /** See {@link SessionListener#onMessagesDiscarded}. */
  public final Event<SessionListener> messagesDiscarded = domain.event("onMessagesDiscarded");
  /** See {@link SessionListener#onStoreFailed}. */
  public final Event<SessionListener> storeFailed = domain.event("onStoreFailed");
  /** See {@link SessionListener#onSlowCounterparty}. */
  public final Event<SessionListener> slowCounterparty = domain.event("onSlowCounterparty");
  /** See {@link SessionListener#onConnectionRefused}. */
  public final Event<SessionListener> connectionRefused = domain.event("onConnectionRefused");
  /** See {@link SessionListener#onTolerated}. */
  public final Event<SessionListener> tolerated = domain.event("onTolerated");
  /** See {@link SessionListener#onNotice}. */
  public final Event<SessionListener> notice = domain.event("onNotice");

  /** Creates events without listeners. */
  public SessionEvents() {}

  /**
   * Adds a listener. Any thread.
   *
   * @param listener receives the events whose methods it overrides
   * @return a registration whose close removes the listener
   * @throws IllegalArgumentException if it overrides no method
   */
  public Registration add(SessionListener listener) {
    return domain.add(listener);
  }
}
