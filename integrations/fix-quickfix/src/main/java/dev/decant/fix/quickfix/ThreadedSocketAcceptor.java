package dev.decant.fix.quickfix;

import java.net.SocketAddress;
import quickfix.Acceptor;
import quickfix.Application;
import quickfix.LogFactory;
import quickfix.MessageFactory;
import quickfix.MessageStoreFactory;
import quickfix.ScreenLogFactory;
import quickfix.SessionSettings;

/**
 * Sessions that counterparties connect to, instead of {@code quickfix.ThreadedSocketAcceptor}. Each has a thread of its
 * own, up to 64. Further sessions share these threads, as the sessions of templates share 16. A callback that blocks
 * delays the other sessions of its thread.
 */
public final class ThreadedSocketAcceptor extends SessionConnector implements Acceptor {
  /**
   * Creates an acceptor.
   *
   * @param application receives callbacks on the engine's thread, which it must not block
   * @param messageStoreFactory FileStoreFactory and MemoryStoreFactory are replaced by Decant's stores; others are used
   *     unchanged
   * @param settings the sessions with ConnectionType=acceptor
   * @param logFactory creates a log for each session
   * @param messageFactory creates received messages
   */
  public ThreadedSocketAcceptor(Application application, MessageStoreFactory messageStoreFactory,
      SessionSettings settings,
      LogFactory logFactory, MessageFactory messageFactory) {
    super(new ConnectorSettings(application, messageStoreFactory, settings, logFactory, messageFactory), ACCEPTOR,
        Threads.LOOPS);
  }

  /**
   * Creates an acceptor.
   *
   * @param application receives callbacks on the engine's thread, which it must not block
   * @param messageStoreFactory as above
   * @param settings the sessions with ConnectionType=acceptor, and the settings of ScreenLogFactory
   * @param messageFactory creates received messages
   */
  public ThreadedSocketAcceptor(Application application, MessageStoreFactory messageStoreFactory,
      SessionSettings settings,
      MessageFactory messageFactory) {
    this(application, messageStoreFactory, settings, new ScreenLogFactory(settings), messageFactory);
  }

  /**
   * Creates an acceptor.
   *
   * @param application receives callbacks on the engine's thread, which it must not block
   * @param messageStoreFactory as above
   * @param settings the sessions with ConnectionType=acceptor
   * @param logFactory creates a log for each session
   * @param messageFactory creates received messages
   * @param queueCapacity has no effect: there is no queue between sockets and application
   */
  public ThreadedSocketAcceptor(Application application, MessageStoreFactory messageStoreFactory,
      SessionSettings settings,
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
  public static final class Builder extends ConnectorBuilder<Builder, ThreadedSocketAcceptor> {
    private Builder() {}

    @Override
    Builder self() {
      return this;
    }

    @Override
    ThreadedSocketAcceptor make(ConnectorSettings made) {
      return new ThreadedSocketAcceptor(made.application(), made.stores(), made.settings(), made.logs(),
          made.messages());
    }
  }

  /**
   * Creates sessions at their Logon on one port. Further calls add providers.
   *
   * @param address where sessions of the settings are accepted: {@link #start} fails if there are none
   * @param provider has the templates; set before start
   */
  public void setSessionProvider(SocketAddress address, DynamicAcceptorSessionProvider provider) {
    templates(templates().with(address, provider.mappings()));
  }
}
