package dev.decant.fix.quickfix;

import dev.decant.fix.quickfix.SessionConnector.ConnectorSettings;
import org.jspecify.annotations.Nullable;
import quickfix.Application;
import quickfix.ConfigError;
import quickfix.DefaultMessageFactory;
import quickfix.LogFactory;
import quickfix.MessageFactory;
import quickfix.MessageStoreFactory;
import quickfix.ScreenLogFactory;
import quickfix.SessionSettings;

/**
 * Collects the parts of an initiator or acceptor, as the builders of QuickFIX/J do. Not thread-safe.
 *
 * @param <B> the type of the builder
 * @param <C> the type of the connector
 */
public abstract sealed class ConnectorBuilder<B, C> permits SocketAcceptor.Builder, SocketInitiator.Builder,
    ThreadedSocketAcceptor.Builder, ThreadedSocketInitiator.Builder {
  private @Nullable Application application;
  private @Nullable MessageStoreFactory stores;
  private @Nullable SessionSettings settings;
  private @Nullable LogFactory logs;
  private MessageFactory messages = new DefaultMessageFactory();

  ConnectorBuilder() {}

  abstract B self();

  abstract C make(ConnectorSettings made);

  /**
   * Sets the application.
   *
   * @param value receives callbacks on the engine's thread
   * @return this
   */
  public B withApplication(Application value) {
    application = value;
    return self();
  }

  /**
   * Sets the stores of numbers and messages.
   *
   * @param value opens the stores
   * @return this
   */
  public B withMessageStoreFactory(MessageStoreFactory value) {
    stores = value;
    return self();
  }

  /**
   * Sets the sessions.
   *
   * @param value the settings
   * @return this
   */
  public B withSettings(SessionSettings value) {
    settings = value;
    return self();
  }

  /**
   * Sets the logs. Default: ScreenLogFactory.
   *
   * @param value creates a log for each session
   * @return this
   */
  public B withLogFactory(LogFactory value) {
    logs = value;
    return self();
  }

  /**
   * Sets the factory of received messages. Default: DefaultMessageFactory.
   *
   * @param value the factory
   * @return this
   */
  public B withMessageFactory(MessageFactory value) {
    messages = value;
    return self();
  }

  /**
   * Has no effect: there is no queue between sockets and application.
   *
   * @param value ignored
   * @return this
   */
  public B withQueueCapacity(int value) {
    return self();
  }

  /**
   * Has no effect: there is no queue between sockets and application.
   *
   * @param lower ignored
   * @param upper ignored
   * @return this
   */
  public B withQueueWatermarks(int lower, int upper) {
    return self();
  }

  /**
   * Creates the initiator or acceptor.
   *
   * @return the connector, which is not started
   * @throws ConfigError if application, stores or settings are missing
   */
  public C build() throws ConfigError {
    if (application == null || stores == null || settings == null) {
      throw new ConfigError("application, message store factory and settings are needed");
    }
    LogFactory used = logs == null ? new ScreenLogFactory(settings) : logs;
    return make(new ConnectorSettings(application, stores, settings, used, messages));
  }
}
