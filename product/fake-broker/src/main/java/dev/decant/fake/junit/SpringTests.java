package dev.decant.fake.junit;

import dev.decant.fake.FakeCluster;
import java.lang.annotation.Annotation;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.platform.commons.support.AnnotationSupport;
import org.springframework.test.context.junit.jupiter.SpringExtension;

/** Tests whose clusters belong to a context of Spring. Only these load Spring's classes. */
final class SpringTests {
  private static final String EXTENSION = "org.springframework.test.context.junit.jupiter.SpringExtension";
  private static final String AUTOWIRED = "org.springframework.beans.factory.annotation.Autowired";

  private SpringTests() {}

  /** Returns true if the class, or one around it, has Spring's extension. */
  static boolean isOne(Class<?> testClass) {
    for (Class<?> type = testClass; type != null; type = type.getEnclosingClass()) {
      for (ExtendWith with : AnnotationSupport.findRepeatableAnnotations(type, ExtendWith.class)) {
        for (Class<?> extension : with.value()) {
          if (extension.getName().equals(EXTENSION)) {
            return true;
          }
        }
      }
    }
    return false;
  }

  /** Returns true if Spring's own extension resolves the parameter. */
  static boolean isAutowired(ParameterContext parameter) {
    for (Annotation annotation : parameter.getParameter().getAnnotations()) {
      if (annotation.annotationType().getName().equals(AUTOWIRED)) {
        return true;
      }
    }
    return false;
  }

  /** Returns the cluster of a test's context. */
  static FakeCluster clusterOf(ExtensionContext context) {
    return SpringExtension.getApplicationContext(context).getBean(FakeCluster.class);
  }
}
