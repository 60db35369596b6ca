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
 * fields of that type; a {@code String} parameter with {@link FakeBootstrap} takes its address.
 *
 * <pre>
 * &#64;FakeKafka(topics = "orders=6")
 * class OrdersTest {
 *   &#64;Test
 *   void anOrderIsSent(FakeCluster kafka) { ... }
 * }
 * </pre>
 *
 * <p>Each test has a new cluster, unless {@link #lifetime} is set. An annotation of a method overrides that of its
 * class, and that of a nested class overrides those around it. The cluster is closed after the test. If the test fails,
 * the last requests that the cluster has received are printed with its stack trace.
 *
 * <p>A field takes the cluster if its type is {@code FakeCluster} and it is neither final nor set. After the test it
 * has its former value. A static field needs {@link Lifetime#CLASS}, and so does a field that {@code BeforeAll} uses in
 * a class with one instance ({@code PER_CLASS}).
 *
 * <p>In a test with Spring's {@code SpringExtension}, such as {@code @SpringBootTest}, an annotation of the class gives
 * the cluster to the application context, before its beans are created. The property {@link #springProperty} is its
 * address, and the cluster is a bean. It lives as long as the context, so classes that share a context share it.
 *
 * <p>Tests may run in parallel: clusters of a JVM are independent of each other. Tests that run in parallel on one
 * instance, each with its own cluster, must take it as a parameter; a field would be shared, and is an error.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@ExtendWith(FakeKafkaExtension.class)
public @interface FakeKafka {
  /** The lifetime of a cluster. */
  enum Lifetime {
    /** Each test has its own cluster. */
    TEST,
    /** The tests of a class, and of classes nested in it, have one cluster. */
    CLASS
  }

  /** Returns the number of brokers, 1 to 1,000; 1 by default. */
  int brokers() default 1;

  /** Returns the topics that exist from the start, each as {@code name=partitions}, or as a name for one partition. */
  String[] topics() default {};

  /** Returns the release of Kafka to imitate, such as {@code 3.9}; empty for that of the test kit's real brokers. */
  String release() default "";

  /** Returns settings of all brokers, each as {@code name=value}, as in server.properties. */
  String[] settings() default {};

  /** Returns the faults in force from the start, each in the form of {@link dev.decant.fake.Faults#add(String)}. */
  String[] faults() default {};

  /** Returns true if the brokers listen within the process, see {@link dev.decant.fake.FakeClusterBuilder#inMemory}. */
  boolean inMemory() default false;

  /** Returns the lifetime; {@link Lifetime#TEST} by default. Ignored with Spring, and on a method. */
  Lifetime lifetime() default Lifetime.TEST;

  /** Returns the property of Spring's environment that takes the address; empty for none. */
  String springProperty() default "spring.kafka.bootstrap-servers";
}
