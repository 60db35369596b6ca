package dev.decant.fix.quickfix;

import quickfix.Application;
import quickfix.Initiator;
import quickfix.LogFactory;
import quickfix.MessageFactory;
import quickfix.MessageStoreFactory;
import quickfix.ScreenLogFactory;
import quickfix.SessionSettings;

/** Sessions that connect, instead of {@code quickfix.SocketInitiator}. All are on one engine with one thread. */
public final class SocketInitiator extends SessionConnector implements Initiator {
  /**
   * Creates an initiator.
   *
   * @param application receives callbacks on the engine's thread, which it must not block
   * @param messageStoreFactory FileStoreFactory and MemoryStoreFactory are replaced by Decant's stores; others are used
   *     unchanged
   * @param settings the sessions with ConnectionType=initiator
   * @param logFactory creates a log for each session
   * @param messageFactory creates received messages
   */
  public SocketInitiator(Application application, MessageStoreFactory messageStoreFactory, SessionSettings settings,
      LogFactory logFactory, MessageFactory messageFactory) {
    super(new ConnectorSettings(application, messageStoreFactory, settings, logFactory, messageFactory), INITIATOR,
        Threads.ONE);
  }

  /**
   * Creates an initiator.
   *
   * @param application receives callbacks on the engine's thread, which it must not block
   * @param messageStoreFactory as above
   * @param settings the sessions with ConnectionType=initiator, and the settings of ScreenLogFactory
   * @param messageFactory creates received messages
   */
  public SocketInitiator(Application application, MessageStoreFactory messageStoreFactory, SessionSettings settings,
      MessageFactory messageFactory) {
    this(application, messageStoreFactory, settings, new ScreenLogFactory(settings), messageFactory);
  }

  /**
   * Creates an initiator.
   *
   * @param application receives callbacks on the engine's thread, which it must not block
   * @param messageStoreFactory as above
   * @param settings the sessions with ConnectionType=initiator
   * @param logFactory creates a log for each session
   * @param messageFactory creates received messages
   * @param queueCapacity has no effect: there is no queue between sockets and application
   */
  public SocketInitiator(Application application, MessageStoreFactory messageStoreFactory, SessionSettings settings,
      LogFactory logFactory, MessageFactory messageFactory, int queueCapacity) {
    this(application, messageStoreFactory, settings, logFactory, messageFactory);
  }

  /**
   * Returns a builder, whose parts are set one by one.
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
