#pragma once

#include "config/config.h"

namespace bartizan {

/// Whether two entries of a configuration are equal, regardless of their positions.
bool is_same(const RuleConfig& one, const RuleConfig& other);
bool is_same(const RuleConditions& one, const RuleConditions& other);
bool is_same(const RoleConfig& one, const RoleConfig& other);
bool is_same(const PrincipalConfig& one, const PrincipalConfig& other);
bool is_same(const ApiKeyConfig& one, const ApiKeyConfig& other);
bool is_same(const IssuerConfig& one, const IssuerConfig& other);
bool is_same(const FrontDoorConfig& one, const FrontDoorConfig& other);
bool is_same(const CertificateConfig& one, const CertificateConfig& other);
bool is_same(const EndpointConfig& one, const EndpointConfig& other);
bool is_same(const PathConfig& one, const PathConfig& other);
bool is_same(const UrlConfig& one, const UrlConfig& other);
bool is_same(const CommandConfig& one, const CommandConfig& other);
bool is_same(const SqlConfig& one, const SqlConfig& other);
bool is_same(const ToolProfile& one, const ToolProfile& other);
bool is_same(const LimitConfig& one, const LimitConfig& other);
bool is_same(const FlowConfig& one, const FlowConfig& other);
bool is_same(const RedactionException& one, const RedactionException& other);
bool is_same(const RedactionConfig& one, const RedactionConfig& other);
bool is_same(const GitleaksRule& one, const GitleaksRule& other);
bool is_same(const GitleaksAllowlist& one, const GitleaksAllowlist& other);
bool is_same(const DetectorConfig& one, const DetectorConfig& other);
bool is_same(const SanitisingConfig& one, const SanitisingConfig& other);

}  // namespace bartizan
