package dev.decant.kafka.telemetry;

import dev.decant.event.Registration;
import dev.decant.kafka.event.ConnectionListener;
import dev.decant.kafka.event.ConsumerListener;
import dev.decant.kafka.event.ErrorListener;
import dev.decant.kafka.event.GroupListener;
import dev.decant.kafka.event.KafkaEvents;
import dev.decant.kafka.event.MetadataListener;
import dev.decant.kafka.event.ProducerListener;
import dev.decant.kafka.event.TransactionListener;
import dev.decant.time.Clock;

/** All that tells of one client. Any thread. */
public final class Telemetry implements KafkaEvents {
  private final Counters counters = new Counters();
  private final Problems problems;
  private final ErrorFunnel errors;
  private final Metering metering;
  private final ConnectionEvents connection;
  private final ProducerEvents producer;
  private final TransactionEvents transaction;
  private final ConsumerEvents consumer;
  private final GroupEvents group;
  private final MetadataEvents metadata;

  /**
   * Makes it, with nobody listening.
   *
   * @param clock tells when an error was, and how long a problem lasts
   */
  public Telemetry(Clock clock) {
    problems = new Problems(clock);
    errors = new ErrorFunnel(clock, counters);
    metering = new Metering(errors);
    connection = new ConnectionEvents(counters, errors, metering);
    producer = new ProducerEvents(counters, errors, metering);
    transaction = new TransactionEvents(errors);
    consumer = new ConsumerEvents(counters, errors, metering);
    group = new GroupEvents(counters, errors, metering);
    metadata = new MetadataEvents(counters, errors);
  }

  /**
   * The counters.
   *
   * @return of the whole client
   */
  public Counters counters() {
    return counters;
  }

  /**
   * Where every error goes.
   *
   * @return of the whole client
   */
  public ErrorFunnel errors() {
    return errors;
  }

  /**
   * The client's meter.
   *
   * @return tells it, if there is one
   */
  public Metering metering() {
    return metering;
  }

  /**
   * What does not work at the moment.
   *
   * @return of the whole client
   */
  public Problems problems() {
    return problems;
  }

  /**
   * To be fired by links to brokers.
   *
   * @return of the whole client
   */
  public ConnectionEvents connection() {
    return connection;
  }

  /**
   * To be fired by producers.
   *
   * @return of the whole client
   */
  public ProducerEvents producer() {
    return producer;
  }

  /**
   * To be fired by transactions.
   *
   * @return of the whole client
   */
  public TransactionEvents transaction() {
    return transaction;
  }

  /**
   * To be fired by consumers.
   *
   * @return of the whole client
   */
  public ConsumerEvents consumer() {
    return consumer;
  }

  /**
   * To be fired by members of groups.
   *
   * @return of the whole client
   */
  public GroupEvents group() {
    return group;
  }

  /**
   * To be fired by the cluster.
   *
   * @return of the whole client
   */
  public MetadataEvents metadata() {
    return metadata;
  }

  @Override
  public Registration watchConnections(ConnectionListener listener) {
    return connection.listeners.add(listener);
  }

  @Override
  public Registration watchProducers(ProducerListener listener) {
    return producer.listeners.add(listener);
  }

  @Override
  public Registration watchTransactions(TransactionListener listener) {
    return transaction.listeners.add(listener);
  }

  @Override
  public Registration watchConsumers(ConsumerListener listener) {
    return consumer.listeners.add(listener);
  }

  @Override
  public Registration watchGroups(GroupListener listener) {
    return group.listeners.add(listener);
  }

  @Override
  public Registration watchMetadata(MetadataListener listener) {
    return metadata.listeners.add(listener);
  }

  @Override
  public Registration watchErrors(ErrorListener listener) {
    return errors.listeners.add(listener);
  }
}
