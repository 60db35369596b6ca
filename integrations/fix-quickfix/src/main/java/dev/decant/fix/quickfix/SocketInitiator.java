package dev.decant.fix.quickfix;

import quickfix.Application;
import quickfix.Initiator;
import quickfix.LogFactory;
import quickfix.MessageFactory;
import quickfix.MessageStoreFactory;
import quickfix.ScreenLogFactory;
import quickfix.SessionSettings;

/**
 * Sessions that connect, in place of {@code quickfix.SocketInitiator}: all on one engine, with one thread.
 */
public final class SocketInitiator extends SessionConnector implements Initiator {
  /**
   * Makes an initiator.
   *
   * @param application gets callbacks on the engine's thread: it must not block there
   * @param messageStoreFactory FileStoreFactory and MemoryStoreFactory become Decant's stores; others are used as they
   *     are
   * @param settings the sessions with ConnectionType=initiator
   * @param logFactory makes a log for each session
   * @param messageFactory makes received messages
   */
  public SocketInitiator(Application application, MessageStoreFactory messageStoreFactory, SessionSettings settings,
      LogFactory logFactory, MessageFactory messageFactory) {
    super(new ConnectorSettings(application, messageStoreFactory, settings, logFactory, messageFactory), INITIATOR,
        Threads.ONE);
  }

  /**
   * Makes an initiator.
   *
   * @param application gets callbacks on the engine's thread: it must not block there
   * @param messageStoreFactory as above
   * @param settings the sessions with ConnectionType=initiator, and what ScreenLogFactory reads
   * @param messageFactory makes received messages
   */
  public SocketInitiator(Application application, MessageStoreFactory messageStoreFactory, SessionSettings settings,
      MessageFactory messageFactory) {
    this(application, messageStoreFactory, settings, new ScreenLogFactory(settings), messageFactory);
  }

  /**
   * Makes an initiator.
   *
   * @param application gets callbacks on the engine's thread: it must not block there
   * @param messageStoreFactory as above
   * @param settings the sessions with ConnectionType=initiator
   * @param logFactory makes a log for each session
   * @param messageFactory makes received messages
   * @param queueCapacity without an effect: there is no queue between sockets and application
   */
  public SocketInitiator(Application application, MessageStoreFactory messageStoreFactory, SessionSettings settings,
      LogFactory logFactory, MessageFactory messageFactory, int queueCapacity) {
    this(application, messageStoreFactory, settings, logFactory, messageFactory);
  }

  /**
   * Begins with the parts that are set one by one.
   *
   * @return a builder
   */
  public static Builder newBuilder() {
    return new Builder();
  }

  /** Collects the parts. Not thread-safe. */
  public static final class Builder extends ConnectorBuilder<Builder, SocketInitiator> {
    private Builder() {}

    @Override
    Builder self() {
      return this;
    }

    @Override
    SocketInitiator make(ConnectorSettings made) {
      return new SocketInitiator(made.application(), made.stores(), made.settings(), made.logs(), made.messages());
    }
  }
}
