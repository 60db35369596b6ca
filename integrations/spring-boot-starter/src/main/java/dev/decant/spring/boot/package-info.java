/** Auto-configuration that gives applications of Spring Boot Decant's clients. */
@NullMarked
package dev.decant.spring.boot;

import org.jspecify.annotations.NullMarked;
