package dev.decant.fix.quickfix;

import quickfix.Application;
import quickfix.ConfigError;
import quickfix.Connector;
import quickfix.DefaultMessageFactory;
import quickfix.LogFactory;
import quickfix.Message;
import quickfix.MessageStoreFactory;
import quickfix.SessionID;
import quickfix.SessionNotFound;
import quickfix.SessionSettings;

/**
 * The engine below an application of QuickFIX/J: QuickFIX/J's own or Decant. The applications differ only in imports.
 */
enum EngineUnderTest {
  QUICKFIX {
    @Override
    Connector initiator(Application application, MessageStoreFactory stores, SessionSettings settings)
        throws ConfigError {
      return new quickfix.SocketInitiator(application, stores, settings, SILENT, new DefaultMessageFactory());
    }

    @Override
    Connector acceptor(Application application, MessageStoreFactory stores, SessionSettings settings)
        throws ConfigError {
      return new quickfix.SocketAcceptor(application, stores, settings, SILENT, new DefaultMessageFactory());
    }

    @Override
    boolean send(Message message, SessionID to) throws SessionNotFound {
      return quickfix.Session.sendToTarget(message, to);
    }

    @Override
    void logout(SessionID id) {
      quickfix.Session.lookupSession(id).logout();
    }

    @Override
    void logon(SessionID id) {
      quickfix.Session.lookupSession(id).logon();
    }

    @Override
    int nextSender(SessionID id) {
      return quickfix.Session.lookupSession(id).getExpectedSenderNum();
    }

    @Override
    boolean isLoggedOn(SessionID id) {
      return quickfix.Session.lookupSession(id).isLoggedOn();
    }
  },
  DECANT {
    @Override
    Connector initiator(Application application, MessageStoreFactory stores, SessionSettings settings) {
      return new SocketInitiator(application, stores, settings, SILENT, new DefaultMessageFactory());
    }

    @Override
    Connector acceptor(Application application, MessageStoreFactory stores, SessionSettings settings) {
      return new SocketAcceptor(application, stores, settings, SILENT, new DefaultMessageFactory());
    }

    @Override
    boolean send(Message message, SessionID to) throws SessionNotFound {
      return Session.sendToTarget(message, to);
    }

    @Override
    void logout(SessionID id) {
      session(id).logout();
    }

    @Override
    void logon(SessionID id) {
      session(id).logon();
    }

    @Override
    int nextSender(SessionID id) {
      return session(id).getExpectedSenderNum();
    }

    @Override
    boolean isLoggedOn(SessionID id) {
      return session(id).isLoggedOn();
    }

    private static Session session(SessionID id) {
      Session session = Session.lookupSession(id);
      if (session == null) {
        throw new AssertionError("no session " + id);
      }
      return session;
    }
  };

  static final LogFactory SILENT = session -> new SilentLog();

  abstract Connector initiator(Application application, MessageStoreFactory stores, SessionSettings settings)
      throws ConfigError;

  abstract Connector acceptor(Application application, MessageStoreFactory stores, SessionSettings settings)
      throws ConfigError;

  abstract boolean send(Message message, SessionID to) throws SessionNotFound;

  abstract void logout(SessionID id);

  abstract void logon(SessionID id);

  abstract int nextSender(SessionID id);

  abstract boolean isLoggedOn(SessionID id);
}
