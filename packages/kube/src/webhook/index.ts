/** Admission webhooks: served, certified, measured. Apart from the main entry, because few programs need it. */
export type { CertificateNeeds } from '../certificates/certificate-life.ts';
export * from '../certificates/directory-certificates.ts';
export * from '../certificates/secret-certificates.ts';
export * from '../certificates/serving-certificate.ts';
export { AdmissionReviewError } from './admission-review.ts';
export type {
  AdmissionAnswer,
  AdmissionRequest,
  GroupVersionKind,
  GroupVersionResource,
} from './admission-review.ts';
export * from './admission-server.ts';
export * from './json-patch.ts';
export * from './webhook-metrics.ts';
export * from './webhook-service.ts';
