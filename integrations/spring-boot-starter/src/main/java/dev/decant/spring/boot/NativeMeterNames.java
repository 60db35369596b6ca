package dev.decant.spring.boot;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import org.springframework.beans.factory.config.BeanPostProcessor;

/**
 * Puts {@code decant.} before the names of native clients' meters that begin with {@code kafka.}. Boot's binders have
 * the same names with other tags, and no registry takes both: one for Prometheus refuses the meter that comes second,
 * and Boot's binder removes meters that have its name and fewer tags, or leaves out its own if others have more.
 */
final class NativeMeterNames implements BeanPostProcessor, MeterFilter {
  @Override
  public Object postProcessBeforeInitialization(Object bean, String beanName) {
    if (bean instanceof MeterRegistry registry) {
      registry.config().meterFilter(this);
    }
    return bean;
  }

  @Override
  public Meter.Id map(Meter.Id id) {
    // Meters of Boot's binders have the release of Apache's client as a tag.
    boolean isNative = id.getName().startsWith("kafka.") && id.getTag("client.id") != null
        && id.getTag("kafka.version") == null;
    return isNative ? id.withName("decant." + id.getName()) : id;
  }
}
