package dev.decant.fake.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives a test, or each test of a class, a {@link dev.decant.fake.FakeCluster}. It is injected into parameters and
 * fields of that type; a {@code String} parameter with {@link FakeBootstrap} gets its address.
 *
 * <pre>
 * &#64;FakeKafka(topics = "orders=6")
 * class OrdersTest {
 *   &#64;Test
 *   void anOrderIsSent(FakeCluster kafka) { ... }
 * }
 * </pre>
 *
 * <p>Each test gets a new cluster, unless {@link #lifetime} says otherwise. An annotation of a method has precedence
 * over that of its class, and that of a nested class over those around it. The cluster is closed after the test. If the
 * test fails, the last requests that the cluster received are printed with its stack trace.
 *
 * <p>A field gets the cluster if its type is {@code FakeCluster} and it is neither final nor set. After the test it has
 * what it had before. A static field needs {@link Lifetime#CLASS}, and so does a field that {@code BeforeAll} uses in a
 * class with one instance ({@code PER_CLASS}).
 *
 * <p>In a test with Spring's {@code SpringExtension}, such as {@code @SpringBootTest}, an annotation of the class gives
 * the cluster to the application context, before its beans are made. The property {@link #springProperty} is its
 * address, and the cluster is a bean. It lives as long as the context, so classes that share a context share it.
 *
 * <p>Tests may run in parallel: clusters of a JVM do not touch each other. Tests that run in parallel on one instance,
 * each with a cluster of its own, take it as a parameter; a field would be shared, and is an error.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@ExtendWith(FakeKafkaExtension.class)
public @interface FakeKafka {
  /** How long a cluster lives. */
  enum Lifetime {
    /** Each test has a cluster of its own. */
    TEST,
    /** The tests of a class, and of classes nested in it, have one cluster. */
    CLASS
  }

  /** How many brokers it has, 1 to 1,000; 1 by default. */
  int brokers() default 1;

  /** Topics that are there from the start, each as {@code name=partitions}, or as a name for one partition. */
  String[] topics() default {};

  /** The release of Kafka to play, such as {@code 3.9}; empty for that of the test kit's real brokers. */
  String release() default "";

  /** Settings of all brokers, each as {@code name=value}, as in server.properties. */
  String[] settings() default {};

  /** Faults in force from the start, each as {@link dev.decant.fake.Faults#add(String)} takes it. */
  String[] faults() default {};

  /** Whether its brokers listen within the process, see {@link dev.decant.fake.FakeClusterBuilder#inMemory}. */
  boolean inMemory() default false;

  /** How long the cluster lives; {@link Lifetime#TEST} by default. Ignored with Spring, and on a method. */
  Lifetime lifetime() default Lifetime.TEST;

  /** The property of Spring's environment that is the address; empty for none. */
  String springProperty() default "spring.kafka.bootstrap-servers";
}
