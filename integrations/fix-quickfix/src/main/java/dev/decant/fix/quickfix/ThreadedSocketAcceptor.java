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
 * Sessions that counterparties connect to, in place of {@code quickfix.ThreadedSocketAcceptor}: each has a thread of
 * its own, up to 64 of them. More sessions share these threads, as those of templates share 16: a callback that blocks
 * holds up the sessions of its thread.
 */
public final class ThreadedSocketAcceptor extends SessionConnector implements Acceptor {
  /**
   * Makes an acceptor.
   *
   * @param application gets callbacks on the engine's thread: it must not block there
   * @param messageStoreFactory FileStoreFactory and MemoryStoreFactory become Decant's stores; others are used as they
   *     are
   * @param settings the sessions with ConnectionType=acceptor
   * @param logFactory makes a log for each session
   * @param messageFactory makes received messages
   */
  public ThreadedSocketAcceptor(Application application, MessageStoreFactory messageStoreFactory,
      SessionSettings settings,
      LogFactory logFactory, MessageFactory messageFactory) {
    super(new ConnectorSettings(application, messageStoreFactory, settings, logFactory, messageFactory), ACCEPTOR,
        Threads.LOOPS);
  }

  /**
   * Makes an acceptor.
   *
   * @param application gets callbacks on the engine's thread: it must not block there
   * @param messageStoreFactory as above
   * @param settings the sessions with ConnectionType=acceptor, and what ScreenLogFactory reads
   * @param messageFactory makes received messages
   */
  public ThreadedSocketAcceptor(Application application, MessageStoreFactory messageStoreFactory,
      SessionSettings settings,
      MessageFactory messageFactory) {
    this(application, messageStoreFactory, settings, new ScreenLogFactory(settings), messageFactory);
  }

  /**
   * Makes an acceptor.
   *
   * @param application gets callbacks on the engine's thread: it must not block there
   * @param messageStoreFactory as above
   * @param settings the sessions with ConnectionType=acceptor
   * @param logFactory makes a log for each session
   * @param messageFactory makes received messages
   * @param queueCapacity without an effect: there is no queue between sockets and application
   */
  public ThreadedSocketAcceptor(Application application, MessageStoreFactory messageStoreFactory,
      SessionSettings settings,
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
   * Makes sessions at their Logon on one port. Providers of several calls add up.
   *
   * @param address where sessions of the settings are accepted: {@link #start} fails if there are none
   * @param provider has the templates; set before start
   */
  public void setSessionProvider(SocketAddress address, DynamicAcceptorSessionProvider provider) {
    templates(templates().with(address, provider.mappings()));
  }
}
